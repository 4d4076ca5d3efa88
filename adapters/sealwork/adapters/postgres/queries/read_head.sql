SELECT now, seq, hash, state, head_record, head_intent, tenant_actors, system_actors, rules,
       same_id_intent, same_id_record, same_id_record_sig, fired_record, fired_record_sig, work
FROM sealwork.read_head(%s, %s, %s, %s, %s)
