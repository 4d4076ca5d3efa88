SELECT kind, tenant_id, id, stream, schedule_id, action, data,
       caused_by_event_hash, caused_by_action, caused_by_actor, caused_by_at,
       occurrence, missed, run_at, available_state, reason, source, rule_version, depth, attempts, deaths,
       seq, hash, definition, first_claimed_at, misfire
FROM sealwork.claim_work(%s::text[], %s, %s, %s)
