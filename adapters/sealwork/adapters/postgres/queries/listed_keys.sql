SELECT key, class, coalesce(label, ''), roles, permissions, status, admitted_at_seq, ended_at_seq,
       CASE WHEN isfinite(compromised_since) THEN sealwork.instant_text(compromised_since)
            ELSE compromised_since::text END
FROM sealwork.actors
WHERE tenant_id = %(tenant)s
ORDER BY key COLLATE "C"
