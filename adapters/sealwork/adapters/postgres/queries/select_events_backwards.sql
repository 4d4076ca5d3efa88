SELECT seq, intent, intent_sig, record, record_sig
FROM sealwork.events
WHERE tenant_id = %(tenant)s AND stream = %(stream)s
  AND seq > %(gt)s AND seq <= %(lte)s
ORDER BY seq DESC
LIMIT %(limit)s
