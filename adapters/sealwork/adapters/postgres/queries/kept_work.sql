-- Every work row of a process with how it goes on, in the order of the events that made them. Instants and data as
-- text: the owner of a table may write some that no program can hold.
SELECT 'scheduled_action', tenant_id, id, stream, schedule_id COLLATE "C" AS schedule_id, action COLLATE "C" AS action, data::text,
       caused_by_event_hash, caused_by_action, caused_by_actor, sealwork.instant_text(caused_by_at),
       occurrence, coalesce(missed, 0), sealwork.instant_text(run_at), NULL, NULL, NULL COLLATE "C" AS source, NULL, depth, attempts, deaths,
       status, lease_token, last_attempt_error, fired_event_hash, caused_by_seq,
       every_seconds, sealwork.instant_text(until), count, misfire
FROM sealwork.scheduled_actions
WHERE tenant_id = %(tenant)s AND stream = %(stream)s
UNION ALL
SELECT CASE source WHEN 'auto' THEN 'auto_action' ELSE 'rule' END, tenant_id, id, stream, NULL COLLATE "C", action COLLATE "C", data::text,
       caused_by_event_hash, caused_by_action, caused_by_actor, sealwork.instant_text(caused_by_at),
       1, 0, sealwork.instant_text(queued_at), available_state, reason, source COLLATE "C", rule_version, depth, attempts, deaths,
       status, lease_token, last_attempt_error, fired_event_hash, caused_by_seq,
       NULL, NULL, NULL, 'fire_once'
FROM sealwork.automation_queue
WHERE tenant_id = %(tenant)s AND stream = %(stream)s AND depth >= 0
ORDER BY caused_by_seq, source NULLS FIRST, schedule_id, action
LIMIT %(limit)s
