-- Streams with a head, with events, or with work rows only: whatever stands somewhere must be looked at.
SELECT tenant_id, stream, coalesce(head.seq, 0), coalesce(head.hash, ''), head.state
FROM sealwork.heads AS head
FULL JOIN (
  SELECT tenant_id, stream FROM sealwork.events
  UNION
  SELECT tenant_id, stream FROM sealwork.scheduled_actions
  UNION
  SELECT tenant_id, stream FROM sealwork.automation_queue
) AS known USING (tenant_id, stream)
WHERE tenant_id = %(tenant)s OR %(tenant)s::text IS NULL
ORDER BY tenant_id COLLATE "C", stream COLLATE "C"
