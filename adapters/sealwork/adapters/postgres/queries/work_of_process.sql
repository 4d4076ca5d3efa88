SELECT 'scheduled_action', tenant_id, id, stream, schedule_id, action, data,
       caused_by_event_hash, caused_by_action, caused_by_actor, caused_by_at,
       occurrence, coalesce(missed, 0), run_at, NULL, NULL, NULL, NULL, depth, attempts,
       status, lease_token, last_attempt_error, fired_event_hash
FROM sealwork.scheduled_actions
WHERE tenant_id = %(tenant)s AND stream = %(stream)s
UNION ALL
SELECT CASE source WHEN 'auto' THEN 'auto_action' ELSE 'rule' END, tenant_id, id, stream, NULL, action, data,
       caused_by_event_hash, caused_by_action, caused_by_actor, caused_by_at,
       1, 0, queued_at, available_state, reason, source, rule_version, depth, attempts,
       status, lease_token, last_attempt_error, fired_event_hash
FROM sealwork.automation_queue
WHERE tenant_id = %(tenant)s AND stream = %(stream)s
ORDER BY 11, 3
