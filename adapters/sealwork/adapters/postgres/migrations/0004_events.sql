-- The log: one chain of signed events per stream, its head, and the larger things that intents name by hash.

SET ROLE sealwork_owner;

CREATE TABLE sealwork.heads (
  tenant_id text,
  stream    text,
  seq       bigint NOT NULL,
  hash      bytea  NOT NULL,
  state     bytea,            -- canonical {"data": …, "state": …}; its hash is in the signed record
  PRIMARY KEY (tenant_id, stream),
  -- Plain and short, so that every name fits a notification whole.
  CONSTRAINT tenant_is_a_slug CHECK (tenant_id ~ '^[a-z0-9-]{1,63}$'),
  CONSTRAINT stream_is_a_name CHECK (stream ~ '^[a-z]+/[A-Za-z0-9._:/-]+$' AND length(stream) <= 200),
  CONSTRAINT state_is_bounded CHECK (octet_length(state) <= 262144)
) WITH (fillfactor = 70);

CREATE TABLE sealwork.events (
  tenant_id   text,
  stream      text,
  seq         bigint,
  id          uuid,                   -- the client's, from the intent: the idempotency key of its command
  prev        bytea       NOT NULL,
  hash        bytea       NOT NULL,   -- computed here from the record, never taken from a caller
  intent      bytea,                  -- none where the record has a cause: a child's first event, rules/set
  intent_sig  bytea,
  record      bytea       NOT NULL,
  record_sig  bytea       NOT NULL,
  work_id     uuid,
  occurrence  int,
  recorded_at timestamptz NOT NULL,
  txid        xid8        NOT NULL DEFAULT pg_current_xact_id(),
  doc         jsonb       NOT NULL,   -- a small projection for readers; proofs read the bytes
  PRIMARY KEY (tenant_id, stream, seq),
  UNIQUE (tenant_id, stream, prev),
  CONSTRAINT intent_is_whole   CHECK (num_nulls(id, intent, intent_sig) IN (0, 3)),
  CONSTRAINT fence_is_whole    CHECK (num_nulls(work_id, occurrence) IN (0, 2)),
  CONSTRAINT intent_is_bounded CHECK (octet_length(intent) <= 65536),
  CONSTRAINT record_is_bounded CHECK (octet_length(record) <= 262144)
) WITH (toast_tuple_target = 8160);   -- signed bytes do not compress: keep them in the row

-- The functions find events by these three, never by seq. Their order matters: while the table is empty all
-- indexes that begin alike cost the same, and the planner takes the newest that applies. (Their names keep that
-- order through a dump.)
CREATE UNIQUE INDEX events_by_hash ON sealwork.events (tenant_id, stream, hash);
CREATE UNIQUE INDEX events_by_id   ON sealwork.events (tenant_id, stream, id) WHERE id IS NOT NULL;
-- The fence: a unit of work becomes one event, whoever tries again.
CREATE UNIQUE INDEX events_fence   ON sealwork.events (tenant_id, work_id, occurrence) WHERE work_id IS NOT NULL;

CREATE TABLE sealwork.documents (
  tenant_id text,
  sha256    bytea,
  body      bytea NOT NULL,
  PRIMARY KEY (tenant_id, sha256),
  CONSTRAINT name_is_the_hash CHECK (sha256 = sha256(body)),
  CONSTRAINT body_is_bounded  CHECK (octet_length(body) <= 1048576)
);

CREATE FUNCTION sealwork.refuse_change() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%.% is append-only: % is refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP
    USING HINT = 'What happened stays; a correction is a new event.';
END $$;

CREATE TRIGGER append_only
  BEFORE UPDATE OR DELETE ON sealwork.events
  FOR EACH ROW EXECUTE FUNCTION sealwork.refuse_change();
CREATE TRIGGER never_truncated
  BEFORE TRUNCATE ON sealwork.events
  EXECUTE FUNCTION sealwork.refuse_change();
CREATE TRIGGER append_only
  BEFORE UPDATE OR DELETE ON sealwork.documents
  FOR EACH ROW EXECUTE FUNCTION sealwork.refuse_change();
CREATE TRIGGER never_truncated
  BEFORE TRUNCATE ON sealwork.documents
  EXECUTE FUNCTION sealwork.refuse_change();

-- Also in a session that replays replication.
ALTER TABLE sealwork.events    ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE sealwork.events    ENABLE ALWAYS TRIGGER never_truncated;
ALTER TABLE sealwork.documents ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE sealwork.documents ENABLE ALWAYS TRIGGER never_truncated;

RESET ROLE;
