SELECT key, class, label, roles, permissions, status, admitted_at_seq, ended_at_seq,
       sealwork.instant_text(compromised_since)
FROM sealwork.actors
WHERE tenant_id = %(tenant)s
ORDER BY key COLLATE "C"
