SELECT now, seq, hash, state, head_record, head_intent, tenant_actors, system_actors, rules,
       same_id_intent, same_id_record, same_id_record_sig, fired_record, fired_record_sig, work
FROM unnest(%s::text[], %s::text[], %s::uuid[], %b::uuid[], %b::int4[])
       WITH ORDINALITY AS asked(tenant, stream, intent_id, work_id, occurrence, k),
     LATERAL sealwork.read_head(asked.tenant, asked.stream, asked.intent_id, asked.work_id, asked.occurrence)
ORDER BY k
