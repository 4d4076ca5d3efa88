-- Reading: the engine's one round trip before a decision, and the log as the library `eventsourcing` sees it.

SET ROLE sealwork_owner;

-- The work row that an intent claims to come from, with the same members for timers and queue rows.
CREATE FUNCTION sealwork.work_of_timer(timer sealwork.scheduled_actions) RETURNS jsonb
  LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'kind', 'scheduled_action',
    'id', timer.id,
    'stream', timer.stream,
    'status', timer.status,
    'lease_token', timer.lease_token,
    'occurrence', timer.occurrence,
    'missed', timer.missed,
    'schedule_id', timer.schedule_id,
    'run_at', sealwork.instant_text(timer.run_at),
    'workflow_path', timer.workflow_path,
    'workflow_version', timer.workflow_version,
    'action', timer.action,
    'data', timer.data,
    'depth', timer.depth,
    'caused_by_event_hash', encode(timer.caused_by_event_hash, 'hex'),
    'caused_by_action', timer.caused_by_action,
    'caused_by_actor', timer.caused_by_actor,
    'caused_by_at', sealwork.instant_text(timer.caused_by_at),
    'available_state', NULL, 'reason', NULL, 'source', NULL, 'rule_version', NULL)
$$;

CREATE FUNCTION sealwork.work_of_queue_row(queued sealwork.automation_queue) RETURNS jsonb
  LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'kind', CASE queued.source WHEN 'auto' THEN 'auto_action' ELSE 'rule' END,
    'id', queued.id,
    'stream', queued.stream,
    'status', queued.status,
    'lease_token', queued.lease_token,
    'occurrence', 1,
    'missed', 0,
    'schedule_id', NULL,
    'run_at', sealwork.instant_text(queued.queued_at),
    'workflow_path', queued.workflow_path,
    'workflow_version', queued.workflow_version,
    'action', queued.action,
    'data', queued.data,
    'depth', queued.depth,
    'caused_by_event_hash', encode(queued.caused_by_event_hash, 'hex'),
    'caused_by_action', queued.caused_by_action,
    'caused_by_actor', queued.caused_by_actor,
    'caused_by_at', sealwork.instant_text(queued.caused_by_at),
    'available_state', queued.available_state, 'reason', queued.reason,
    'source', queued.source, 'rule_version', queued.rule_version)
$$;

-- Always one row, all of one instant. A stream without events has seq 0 and its genesis hash.
-- `intent_id`, `work_id` and `occurrence` may be null; what they find stays null then.
CREATE FUNCTION sealwork.read_head(tenant text, stream text, intent_id uuid, work_id uuid, occurrence int)
  RETURNS TABLE (
    now                timestamptz,
    seq                bigint,
    hash               bytea,
    state              bytea,
    head_record        bytea,
    head_intent        bytea,
    tenant_actors      bigint,   -- positions that a record pins: the two registries and the rule set
    system_actors      bigint,
    rules              bigint,
    same_id_intent     bytea,    -- the event of this stream with the same id
    same_id_record     bytea,
    same_id_record_sig bytea,
    fired_record       bytea,    -- the event of this tenant that this unit of work became
    fired_record_sig   bytea,
    work               jsonb)
  LANGUAGE plpgsql STABLE
  SET search_path = pg_catalog, sealwork, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT sealwork.now(),
           coalesce(head.seq, 0),
           coalesce(head.hash, sealwork.genesis_hash(origin, read_head.tenant, read_head.stream)),
           head.state,
           last.record,
           last.intent,
           coalesce((SELECT seq FROM sealwork.heads
                     WHERE tenant_id = read_head.tenant AND stream = 'actors/registry'), 0),
           coalesce((SELECT seq FROM sealwork.heads
                     WHERE tenant_id = 'system' AND stream = 'actors/registry'), 0),
           coalesce((SELECT seq FROM sealwork.heads
                     WHERE tenant_id = read_head.tenant AND stream = 'rules/set'), 0),
           same_id.intent,
           same_id.record,
           same_id.record_sig,
           fired.record,
           fired.record_sig,
           coalesce((SELECT sealwork.work_of_timer(timer) FROM sealwork.scheduled_actions AS timer
                     WHERE tenant_id = read_head.tenant AND id = read_head.work_id),
                    (SELECT sealwork.work_of_queue_row(queued) FROM sealwork.automation_queue AS queued
                     WHERE tenant_id = read_head.tenant AND id = read_head.work_id))
    FROM (SELECT origin FROM sealwork.settings WHERE one) AS own_log
    LEFT JOIN LATERAL (
      SELECT tenant_id, stream, seq, hash, state FROM sealwork.heads
      WHERE tenant_id = read_head.tenant AND stream = read_head.stream
      LIMIT 1
    ) AS head ON true
    LEFT JOIN LATERAL (
      SELECT record, intent FROM sealwork.events
      WHERE tenant_id = head.tenant_id AND stream = head.stream AND hash = head.hash
      LIMIT 1
    ) AS last ON true
    LEFT JOIN LATERAL (
      SELECT intent, record, record_sig FROM sealwork.events
      WHERE tenant_id = read_head.tenant AND stream = read_head.stream AND id = read_head.intent_id
      LIMIT 1
    ) AS same_id ON true
    LEFT JOIN LATERAL (
      SELECT record, record_sig FROM sealwork.events
      WHERE tenant_id = read_head.tenant AND work_id = read_head.work_id AND occurrence = read_head.occurrence
      LIMIT 1
    ) AS fired ON true;
END $$;

-- One byte string of a sealed event: its length in four bytes, big-endian, and the bytes; -1 where there is none.
CREATE FUNCTION sealwork.framed(part bytea) RETURNS bytea
  LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN part IS NULL THEN int4send(-1) ELSE int4send(octet_length(part)) || part END
$$;

-- The columns that the library's own reader selects; it can follow the log with SELECT alone.
CREATE VIEW sealwork.stored_events WITH (security_invoker = true) AS
  SELECT tenant_id || ':' || stream                         AS originator_id,
         seq                                                AS originator_version,
         'sealwork.domain.ledger.sealed_event:SealedEvent'  AS topic,
         sealwork.framed(intent) || sealwork.framed(intent_sig)
           || sealwork.framed(record) || sealwork.framed(record_sig) AS state
  FROM sealwork.events;

RESET ROLE;
