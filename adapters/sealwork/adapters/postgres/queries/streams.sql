SELECT tenant_id, stream, coalesce(head.seq, 0), coalesce(head.hash, ''), head.state
FROM sealwork.heads AS head
FULL JOIN (SELECT DISTINCT tenant_id, stream FROM sealwork.events) AS known USING (tenant_id, stream)
WHERE tenant_id = %(tenant)s OR %(tenant)s::text IS NULL
ORDER BY tenant_id COLLATE "C", stream COLLATE "C"
