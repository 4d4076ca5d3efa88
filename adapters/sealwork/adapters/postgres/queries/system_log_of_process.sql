SELECT at, tenant_id, work_id, stream, action, occurrence, attempt, result, reason, fired_event_hash
FROM sealwork.system_log
WHERE tenant_id = %s AND stream = %s
ORDER BY number DESC
LIMIT %s
