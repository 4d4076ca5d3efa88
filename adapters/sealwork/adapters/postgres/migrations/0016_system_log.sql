-- The system log: what the worker tried. Diagnostic only: no function reads it to decide, and the engine cannot.
--
-- Of each tenant the newest 100,000 attempts are kept. They are numbered without gaps, so a row may go once its
-- number lies that far behind the newest; a trigger holds even the owner to it. Nothing else is ever taken away.

SET ROLE sealwork_owner;

CREATE TABLE sealwork.system_log (
  tenant_id        text,
  number           bigint,
  at               timestamptz NOT NULL,
  work_id          uuid        NOT NULL,
  stream           text        NOT NULL CONSTRAINT belongs_to_a_process CHECK (stream LIKE 'process/%'),
  action           text        NOT NULL,
  occurrence       int         NOT NULL,
  attempt          int         NOT NULL,
  result           text        NOT NULL
    CHECK (result IN ('accepted', 'skipped', 'failed', 'transient_error', 'released', 'lost')),
  reason           text        CHECK (octet_length(reason) <= 2000),
  fired_event_hash bytea       CHECK (octet_length(fired_event_hash) = 32),
  PRIMARY KEY (tenant_id, number),
  -- No foreign key: the log must not stand in anybody's way. But names are bounded, as they are in `heads`.
  CONSTRAINT tenant_is_a_slug  CHECK (tenant_id ~ '^[a-z0-9-]{1,63}$'),
  CONSTRAINT stream_is_bounded CHECK (length(stream) <= 200),
  CONSTRAINT action_is_bounded CHECK (length(action) <= 200)
);

CREATE INDEX system_log_of_process ON sealwork.system_log (tenant_id, stream, number);

CREATE FUNCTION sealwork.is_kept(tenant text, attempt_number bigint) RETURNS boolean
  LANGUAGE sql STABLE
  SET search_path = pg_catalog, sealwork, pg_temp AS $$
  SELECT attempt_number > (SELECT max(number) FROM sealwork.system_log WHERE tenant_id = tenant) - 100000
$$;

CREATE TRIGGER append_only
  BEFORE UPDATE ON sealwork.system_log
  FOR EACH ROW EXECUTE FUNCTION sealwork.refuse_change();
CREATE TRIGGER newest_are_kept
  BEFORE DELETE ON sealwork.system_log
  FOR EACH ROW WHEN (sealwork.is_kept(OLD.tenant_id, OLD.number))
  EXECUTE FUNCTION sealwork.refuse_change();
CREATE TRIGGER never_truncated
  BEFORE TRUNCATE ON sealwork.system_log
  EXECUTE FUNCTION sealwork.refuse_change();

-- Also in a session that replays replication.
ALTER TABLE sealwork.system_log ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE sealwork.system_log ENABLE ALWAYS TRIGGER newest_are_kept;
ALTER TABLE sealwork.system_log ENABLE ALWAYS TRIGGER never_truncated;

-- Adds attempts, in order, dated by the clock of the database, and takes away what is no longer kept.
CREATE FUNCTION sealwork.write_system_log(
    tenants text[], works uuid[], streams text[], actions text[], occurrences int[], attempts int[],
    results text[], reasons text[], hashes bytea[])
  RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, sealwork, pg_temp
  SET plan_cache_mode = force_generic_plan
  SET jit = off
  SET enable_seqscan = off
  SET enable_bitmapscan = off
  SET enable_hashjoin = off
  SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  written_at timestamptz := sealwork.now();
BEGIN
  PERFORM sealwork.may_be_lost();

  -- Who writes for a tenant has its numbers alone. Taken before the statement that looks for the newest of them.
  PERFORM pg_advisory_xact_lock(key)
    FROM (
      SELECT DISTINCT hashtextextended('sealwork system_log ' || tenant, 0) AS key
      FROM unnest(tenants) AS tenant
      ORDER BY 1
    ) AS tenants_of_the_batch;

  WITH newest AS MATERIALIZED (
      SELECT tenant, coalesce((SELECT max(number) FROM sealwork.system_log WHERE tenant_id = tenant), 0) AS number
      FROM (SELECT DISTINCT tenant FROM unnest(tenants) AS tenant) AS tenants_of_the_batch
    )
  INSERT INTO sealwork.system_log (
      tenant_id, number, at, work_id, stream, action, occurrence, attempt, result, reason, fired_event_hash)
    SELECT item.tenant,
           newest.number + row_number() OVER (PARTITION BY item.tenant ORDER BY item.k),
           written_at, item.work, item.stream, item.action, item.occurrence, item.attempt, item.result,
           sealwork.clean_error(item.reason), item.hash
    FROM unnest(tenants, works, streams, actions, occurrences, attempts, results, reasons, hashes) WITH ORDINALITY
           AS item(tenant, work, stream, action, occurrence, attempt, result, reason, hash, k)
      JOIN newest USING (tenant);

  DELETE FROM sealwork.system_log AS old
    USING (
      SELECT tenant, (SELECT max(number) FROM sealwork.system_log WHERE tenant_id = tenant) AS newest
      FROM (SELECT DISTINCT tenant FROM unnest(tenants) AS tenant) AS tenants_of_the_batch
    ) AS written
    WHERE old.tenant_id = written.tenant AND old.number <= written.newest - 100000;
END $$;

GRANT EXECUTE ON FUNCTION sealwork.write_system_log TO sealwork_worker;
GRANT SELECT ON sealwork.system_log TO sealwork_reader;

RESET ROLE;
