-- The rows that `listed` names, in its order, with the columns of work_of_process.sql and when they are due.
SELECT 'scheduled_action', tenant_id, timer.id, stream, schedule_id, action, data,
       caused_by_event_hash, caused_by_action, caused_by_actor, caused_by_at,
       occurrence, coalesce(missed, 0), run_at, NULL, NULL, NULL, NULL::int, depth, attempts, deaths,
       status, lease_token, last_attempt_error, fired_event_hash, caused_by_seq, due, nth
FROM listed JOIN sealwork.scheduled_actions AS timer ON lane = 'timer' AND tenant_id = %(tenant)s AND timer.id = listed.id
UNION ALL
SELECT CASE source WHEN 'auto' THEN 'auto_action' ELSE 'rule' END, tenant_id, queued.id, stream, NULL, action, data,
       caused_by_event_hash, caused_by_action, caused_by_actor, caused_by_at,
       1, 0, queued_at, available_state, reason, source, rule_version, depth, attempts, deaths,
       status, lease_token, last_attempt_error, fired_event_hash, caused_by_seq, due, nth
FROM listed JOIN sealwork.automation_queue AS queued ON lane = 'queue' AND tenant_id = %(tenant)s AND queued.id = listed.id
ORDER BY nth
