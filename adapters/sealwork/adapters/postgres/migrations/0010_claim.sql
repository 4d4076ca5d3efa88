-- Claiming: a worker takes due rows of different processes for a while, and gets with each all that it needs
-- to sign.

SET ROLE sealwork_owner;

-- A claim or a settling may be lost in a crash: the lease runs out and the row is claimed again. So the commit
-- does not wait for the disk, but only if the transaction has written nothing else.
CREATE FUNCTION sealwork.may_be_lost() RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  IF pg_current_xact_id_if_assigned() IS NULL THEN
    PERFORM set_config('synchronous_commit', 'off', true);
  END IF;
END $$;

CREATE TYPE sealwork.claimed_work AS (
  kind                 text,          -- scheduled_action | auto_action | rule
  tenant_id            text,
  id                   uuid,
  stream               text,
  process_id           text,
  workflow_path        text,
  workflow_version     int,
  schedule_id          text,          -- timers only
  action               text,
  data                 jsonb,
  caused_by_event_hash bytea,
  caused_by_action     text,
  caused_by_actor      text,
  caused_by_at         timestamptz,
  occurrence           int,           -- 1 for queue rows
  missed               int,           -- 0 for queue rows
  run_at               timestamptz,   -- queued_at for queue rows
  first_claimed_at     timestamptz,   -- of this occurrence, by whoever
  misfire              text,          -- fire_once for queue rows
  available_state      text,          -- from here on queue rows only
  reason               text,
  source               text,
  rule_version         int,
  depth                int,           -- of both
  attempts             int,
  deaths               int,           -- leases of this row that ran out since it was last settled
  seq                  bigint,        -- the head of the process
  hash                 bytea,
  definition           jsonb,         -- {path, version, sha256} of the head's event
  state                bytea,
  now                  timestamptz
);

-- At most `at_most` rows, one per process, fair over tenants and over timers and queue rows. Locked rows are
-- skipped: a claim waits for nobody. A row that changed just before it was locked is left for the next claim.
-- A row that is due while a token stands on it has perhaps ended its worker: that is counted.
CREATE FUNCTION sealwork.claim_work(tenants text[], at_most int, token uuid, lease_seconds float8)
  RETURNS SETOF sealwork.claimed_work
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, sealwork, pg_temp AS $$
#variable_conflict use_column
DECLARE
  at              timestamptz := sealwork.now();
  lease_ends      timestamptz := at + make_interval(secs => lease_seconds);
  tenants_timers  int;             -- how many tenants have due timers, due queue rows
  tenants_queues  int;
  taken           text[] := '{}';  -- processes of this call
  got             int := 0;
  wanted          int;
  work            sealwork.claimed_work;
BEGIN
  PERFORM sealwork.may_be_lost();
  SELECT count(timer.due), count(queued.due)
    INTO tenants_timers, tenants_queues
    FROM unnest(tenants) AS tenant
    LEFT JOIN LATERAL (
      SELECT due FROM sealwork.scheduled_actions WHERE tenant_id = tenant AND due <= at ORDER BY due LIMIT 1
    ) AS timer ON true
    LEFT JOIN LATERAL (
      SELECT due FROM sealwork.automation_queue WHERE tenant_id = tenant AND due <= at ORDER BY due LIMIT 1
    ) AS queued ON true;

  -- Timers up to their half, then queue rows, then each again for what is left.
  FOR pass IN 1 .. 4 LOOP
    EXIT WHEN got >= at_most OR tenants_timers + tenants_queues = 0;
    -- Half of an odd number is rounded by chance: one row at a time must reach both tables.
    wanted := CASE WHEN pass = 1 AND tenants_queues > 0 THEN (at_most + (random() < 0.5)::int) / 2
                   ELSE at_most - got END;

    IF pass % 2 = 1 AND tenants_timers > 0 AND wanted > 0 THEN
      FOR work IN
        WITH due_timers AS MATERIALIZED (
          SELECT candidate.*
          FROM unnest(tenants) AS tenant,
               LATERAL (
                 SELECT timer.ctid AS place, timer.tenant_id, timer.stream, timer.due,
                        -- Planned instants that passed since this one: one fire stands for all of them. `skip`
                        -- leaves out those that are at most its 60 seconds of grace late. Frozen once it was claimed.
                        CASE WHEN timer.missed IS NULL THEN coalesce(greatest(0, floor(extract(epoch FROM
                          least(timer.until, at - CASE timer.misfire WHEN 'skip' THEN interval '60.000001 s' ELSE '0' END)
                          - timer.run_at) / timer.every_seconds)), 0) ELSE 0 END::int AS passed
                 FROM sealwork.scheduled_actions AS timer
                 WHERE timer.tenant_id = tenant AND timer.due <= at
                   AND timer.tenant_id || '/' || timer.stream <> ALL (taken)
                 ORDER BY timer.due
                 LIMIT CASE WHEN pass > 2 THEN wanted ELSE (wanted + tenants_timers - 1) / tenants_timers END
                 FOR UPDATE SKIP LOCKED
               ) AS candidate
        ), ranked AS (
          SELECT due_timers.*,
                 row_number() OVER (PARTITION BY tenant_id, stream ORDER BY due) AS nth_of_process,
                 row_number() OVER (PARTITION BY tenant_id ORDER BY due)          AS nth_of_tenant
          FROM due_timers
        ), chosen AS (
          SELECT place, passed FROM ranked WHERE nth_of_process = 1 ORDER BY nth_of_tenant, random() LIMIT wanted
        ), claimed AS (
          UPDATE sealwork.scheduled_actions AS timer
          SET status           = 'claimed',
              lease_token      = token,
              leased_until     = lease_ends,
              attempts         = timer.attempts + 1,
              deaths           = timer.deaths + (timer.lease_token IS NOT NULL)::int,
              last_attempt_at  = at,
              first_claimed_at = coalesce(timer.first_claimed_at, at),
              missed           = coalesce(timer.missed, passed),
              occurrence       = timer.occurrence + passed,
              run_at           = timer.run_at + make_interval(secs => coalesce(passed * timer.every_seconds, 0))
          FROM chosen
          WHERE timer.ctid = chosen.place
          RETURNING timer.*
        )
        SELECT 'scheduled_action', timer.tenant_id, timer.id, timer.stream, timer.process_id,
               timer.workflow_path, timer.workflow_version, timer.schedule_id, timer.action, timer.data,
               timer.caused_by_event_hash, timer.caused_by_action, timer.caused_by_actor, timer.caused_by_at,
               timer.occurrence, timer.missed, timer.run_at, timer.first_claimed_at, timer.misfire,
               NULL, NULL, NULL, NULL::int, timer.depth, timer.attempts, timer.deaths,
               head.seq, head.hash, last.definition, head.state, at
        FROM claimed AS timer
        CROSS JOIN LATERAL (
          SELECT * FROM sealwork.heads WHERE tenant_id = timer.tenant_id AND stream = timer.stream LIMIT 1
        ) AS head
        CROSS JOIN LATERAL (
          SELECT sealwork.definition_of(convert_from(intent, 'UTF8')::jsonb, convert_from(record, 'UTF8')::jsonb)
                   AS definition
          FROM sealwork.events
          WHERE tenant_id = head.tenant_id AND stream = head.stream AND hash = head.hash
          LIMIT 1
        ) AS last
      LOOP
        got := got + 1;
        taken := taken || (work.tenant_id || '/' || work.stream);
        RETURN NEXT work;
      END LOOP;

    ELSIF pass % 2 = 0 AND tenants_queues > 0 AND wanted > 0 THEN
      FOR work IN
        WITH due_rows AS MATERIALIZED (
          SELECT candidate.*
          FROM unnest(tenants) AS tenant,
               LATERAL (
                 SELECT queued.ctid AS place, queued.tenant_id, queued.stream, queued.due
                 FROM sealwork.automation_queue AS queued
                 WHERE queued.tenant_id = tenant AND queued.due <= at
                   AND queued.tenant_id || '/' || queued.stream <> ALL (taken)
                 ORDER BY queued.due
                 LIMIT CASE WHEN pass > 2 THEN wanted ELSE (wanted + tenants_queues - 1) / tenants_queues END
                 FOR UPDATE SKIP LOCKED
               ) AS candidate
        ), ranked AS (
          SELECT due_rows.*,
                 row_number() OVER (PARTITION BY tenant_id, stream ORDER BY due) AS nth_of_process,
                 row_number() OVER (PARTITION BY tenant_id ORDER BY due)          AS nth_of_tenant
          FROM due_rows
        ), chosen AS (
          SELECT place FROM ranked WHERE nth_of_process = 1 ORDER BY nth_of_tenant, random() LIMIT wanted
        ), claimed AS (
          UPDATE sealwork.automation_queue AS queued
          SET status          = 'claimed',
              lease_token     = token,
              leased_until    = lease_ends,
              attempts        = queued.attempts + 1,
              deaths          = queued.deaths + (queued.lease_token IS NOT NULL)::int,
              last_attempt_at = at,
              claimed_at      = coalesce(queued.claimed_at, at)
          FROM chosen
          WHERE queued.ctid = chosen.place
          RETURNING queued.*
        )
        SELECT CASE queued.source WHEN 'auto' THEN 'auto_action' ELSE 'rule' END,
               queued.tenant_id, queued.id, queued.stream, queued.process_id,
               queued.workflow_path, queued.workflow_version, NULL, queued.action, queued.data,
               queued.caused_by_event_hash, queued.caused_by_action, queued.caused_by_actor, queued.caused_by_at,
               1, 0, queued.queued_at, queued.claimed_at, 'fire_once',
               queued.available_state, queued.reason, queued.source, queued.rule_version, queued.depth, queued.attempts,
               queued.deaths,
               head.seq, head.hash, last.definition, head.state, at
        FROM claimed AS queued
        CROSS JOIN LATERAL (
          SELECT * FROM sealwork.heads WHERE tenant_id = queued.tenant_id AND stream = queued.stream LIMIT 1
        ) AS head
        CROSS JOIN LATERAL (
          SELECT sealwork.definition_of(convert_from(intent, 'UTF8')::jsonb, convert_from(record, 'UTF8')::jsonb)
                   AS definition
          FROM sealwork.events
          WHERE tenant_id = head.tenant_id AND stream = head.stream AND hash = head.hash
          LIMIT 1
        ) AS last
      LOOP
        got := got + 1;
        taken := taken || (work.tenant_id || '/' || work.stream);
        RETURN NEXT work;
      END LOOP;
    END IF;
  END LOOP;
END $$;

-- When the next row of these tenants may be claimed; null when none is left.
CREATE FUNCTION sealwork.next_due(tenants text[]) RETURNS timestamptz
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, sealwork, pg_temp AS $$
  SELECT min(earliest.due)
  FROM unnest(tenants) AS tenant,
       LATERAL (
         (SELECT timer.due FROM sealwork.scheduled_actions AS timer
          WHERE timer.tenant_id = tenant AND timer.due IS NOT NULL ORDER BY timer.due LIMIT 1)
         UNION ALL
         (SELECT queued.due FROM sealwork.automation_queue AS queued
          WHERE queued.tenant_id = tenant AND queued.due IS NOT NULL ORDER BY queued.due LIMIT 1)
       ) AS earliest
$$;

RESET ROLE;
