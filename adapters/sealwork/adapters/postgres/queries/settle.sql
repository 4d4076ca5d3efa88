SELECT result
FROM sealwork.settle_work(%s, %s::text[], %s::uuid[], %s::int4[], %s::text[], %s::float8[], %s::text[])
ORDER BY i
