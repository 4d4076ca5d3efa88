-- Work: what the engine promised to do later (timers) and next (queue rows). One row is one unit of work.
--
-- Every row names its cause, read from the signed bytes. Foreign keys stay inside one process.
-- `due` is when a row may be claimed or taken over; null once nothing is left to do. One partial index on it
-- serves claim, takeover, retry and next_due, and finished rows cost nothing.

SET ROLE sealwork_owner;

CREATE TABLE sealwork.scheduled_actions (
  tenant_id            text,
  id                   uuid,
  stream               text        NOT NULL CONSTRAINT belongs_to_a_process CHECK (stream LIKE 'process/%'),
  process_id           text        GENERATED ALWAYS AS (substr(stream, 9)) STORED,
  schedule_id          text        NOT NULL,
  workflow_path        text        NOT NULL,
  workflow_version     int         NOT NULL,
  action               text        NOT NULL,
  data                 jsonb       NOT NULL DEFAULT '{}',
  run_at               timestamptz NOT NULL,             -- the planned instant of this occurrence
  every_seconds        bigint      CHECK (every_seconds > 0),
  until                timestamptz,
  count                int         CHECK (count > 0),
  misfire              text        NOT NULL DEFAULT 'fire_once' CHECK (misfire IN ('fire_once', 'skip')),
  occurrence           int         NOT NULL DEFAULT 1,   -- run_at = first + (occurrence - 1) * every
  missed               int,                              -- these two freeze when an occurrence is first claimed
  first_claimed_at     timestamptz,
  fire_count           int         NOT NULL DEFAULT 0,
  status               text        NOT NULL DEFAULT 'active'
    CHECK (status IN ('active', 'claimed', 'exhausted', 'skipped', 'failed', 'cancelled')),
  cancel_reason        text        CHECK (cancel_reason IN ('cancelled', 'replaced')),
  depth                int         NOT NULL DEFAULT 0,
  caused_by_event_hash bytea       NOT NULL,
  caused_by_seq        bigint      NOT NULL,
  caused_by_action     text        NOT NULL,
  caused_by_actor      text        NOT NULL,
  caused_by_at         timestamptz NOT NULL,
  lease_token          uuid,
  leased_until         timestamptz,
  available_at         timestamptz NOT NULL,             -- before this no attempt: run_at, later in a retry
  attempts             int         NOT NULL DEFAULT 0,
  deaths               int         NOT NULL DEFAULT 0,   -- leases in a row that ran out under a token
  last_attempt_at      timestamptz,
  last_attempt_result  text
    CHECK (last_attempt_result IN ('accepted', 'skipped', 'failed', 'transient_error')),
  last_attempt_error   text        CHECK (octet_length(last_attempt_error) <= 2000),
  fired_event_hash     bytea,
  fired_at             timestamptz,
  due                  timestamptz GENERATED ALWAYS AS (
    CASE status WHEN 'active' THEN run_at WHEN 'claimed' THEN leased_until END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, stream, caused_by_event_hash) REFERENCES sealwork.events (tenant_id, stream, hash),
  CONSTRAINT cancelled_for_a_reason CHECK ((status = 'cancelled') = (cancel_reason IS NOT NULL)),
  CONSTRAINT leased_while_claimed   CHECK (lease_token IS NULL OR status = 'claimed'),
  CONSTRAINT fired_is_whole         CHECK (num_nulls(fired_event_hash, fired_at) IN (0, 2))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE UNIQUE INDEX scheduled_actions_live ON sealwork.scheduled_actions (tenant_id, stream, schedule_id)
  WHERE status IN ('active', 'claimed');
CREATE INDEX scheduled_actions_due ON sealwork.scheduled_actions (tenant_id, due)
  WHERE due IS NOT NULL;

CREATE TABLE sealwork.automation_queue (
  tenant_id            text,
  id                   uuid,
  stream               text        NOT NULL CONSTRAINT belongs_to_a_process CHECK (stream LIKE 'process/%'),
  process_id           text        GENERATED ALWAYS AS (substr(stream, 9)) STORED,
  workflow_path        text        NOT NULL,
  workflow_version     int         NOT NULL,
  action               text        NOT NULL,
  source               text        NOT NULL,             -- 'auto', or the id of the rule that raised it
  rule_version         int,
  data                 jsonb       NOT NULL DEFAULT '{}',
  status               text        NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'claimed', 'completed', 'skipped', 'failed')),
  reason               text        NOT NULL,
  available_state      text        NOT NULL,
  depth                int         NOT NULL CHECK (depth >= 0),
  caused_by_event_hash bytea       NOT NULL,
  caused_by_seq        bigint      NOT NULL,
  caused_by_action     text        NOT NULL,
  caused_by_actor      text        NOT NULL,
  caused_by_at         timestamptz NOT NULL,
  lease_token          uuid,
  leased_until         timestamptz,
  available_at         timestamptz NOT NULL,
  attempts             int         NOT NULL DEFAULT 0,
  deaths               int         NOT NULL DEFAULT 0,   -- leases in a row that ran out under a token
  last_attempt_at      timestamptz,
  last_attempt_result  text
    CHECK (last_attempt_result IN ('accepted', 'skipped', 'failed', 'transient_error')),
  last_attempt_error   text        CHECK (octet_length(last_attempt_error) <= 2000),
  fired_event_hash     bytea,
  fired_at             timestamptz,
  queued_at            timestamptz NOT NULL,
  claimed_at           timestamptz,                      -- when it was first claimed
  completed_at         timestamptz,                      -- when it ended, in whatever way
  due                  timestamptz GENERATED ALWAYS AS (
    CASE status WHEN 'pending' THEN available_at WHEN 'claimed' THEN leased_until END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, stream, caused_by_event_hash) REFERENCES sealwork.events (tenant_id, stream, hash),
  CONSTRAINT rule_has_a_version   CHECK ((source = 'auto') = (rule_version IS NULL)),
  CONSTRAINT leased_while_claimed CHECK (lease_token IS NULL OR status = 'claimed'),
  CONSTRAINT fired_is_whole       CHECK (num_nulls(fired_event_hash, fired_at) IN (0, 2)),
  CONSTRAINT fired_if_completed   CHECK ((status = 'completed') = (fired_event_hash IS NOT NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

-- One cause raises an action once per source. The condition is always true; it only keeps the planner from taking
-- this index for a way to a row by tenant and id, which it did while the table was empty.
CREATE UNIQUE INDEX automation_queue_once ON sealwork.automation_queue
  (tenant_id, stream, action, source, caused_by_event_hash)
  WHERE depth >= 0;
-- An automatic action waits at most once in a process, and the first cause is kept. Not while it is claimed:
-- that attempt may have looked before the newer cause. What a rule raised is never suppressed.
CREATE UNIQUE INDEX automation_queue_waiting ON sealwork.automation_queue (tenant_id, stream, action, source)
  WHERE status = 'pending' AND source = 'auto';
CREATE INDEX automation_queue_due ON sealwork.automation_queue (tenant_id, due)
  WHERE due IS NOT NULL;

RESET ROLE;
