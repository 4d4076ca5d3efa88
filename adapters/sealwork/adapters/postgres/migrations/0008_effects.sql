-- Effects: from what the signed records say to the rows of work, in the order of the record.
--
-- Called by append_events in the transaction of the events, with all locks held. The arguments are its
-- columns, one entry per item of the batch; only items with the verdict 'appended' count.

SET ROLE sealwork_owner;

-- Puts the hash of the causing event where an effect left room for it: a record cannot contain its own hash.
CREATE FUNCTION sealwork.with_hash(data jsonb, pointers jsonb, hash bytea) RETURNS jsonb
  LANGUAGE plpgsql AS $$
DECLARE
  pointer text;
  path    text[];
BEGIN
  FOR pointer IN SELECT jsonb_array_elements_text(pointers) LOOP
    SELECT array_agg(replace(replace(step, '~1', '/'), '~0', '~') ORDER BY position)
      INTO path
      FROM string_to_table(pointer, '/') WITH ORDINALITY AS steps(step, position)
      WHERE position > 1;   -- a pointer begins with a slash
    IF pointer NOT LIKE '/%' OR data #> path IS NULL THEN
      RAISE EXCEPTION 'hash_at names no member of the data: %', pointer USING ERRCODE = '22000';
    END IF;
    data := jsonb_set(data, path, to_jsonb(encode(hash, 'hex')));
  END LOOP;
  RETURN data;
END $$;

CREATE FUNCTION sealwork.write_timers(
    verdicts text[], tenants text[], streams text[], hashes bytea[],
    records jsonb[], definitions jsonb[], actions text[]) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  notices text[];
BEGIN
  -- Cancel before schedule, so an action may restart its own timer. Cancel wins over a claim.
  WITH named AS (
    SELECT item.tenant, item.stream, effect->>'id' AS schedule_id, bool_or(effect->>'kind' = 'schedule') AS replaced
    FROM unnest(verdicts, tenants, streams, records) AS item(verdict, tenant, stream, sealed),
         jsonb_array_elements(item.sealed->'effects') AS effect
    WHERE item.verdict = 'appended' AND effect->>'kind' IN ('cancel', 'schedule')
    GROUP BY item.tenant, item.stream, effect->>'id'
  ), live AS (
    SELECT found.place, named.replaced
    FROM named,
         LATERAL (
           SELECT ctid AS place
           FROM sealwork.scheduled_actions
           WHERE tenant_id = named.tenant AND stream = named.stream AND schedule_id = named.schedule_id
             AND status IN ('active', 'claimed')
           LIMIT 1
         ) AS found
  ), cancelled AS (
    UPDATE sealwork.scheduled_actions AS timer
    SET status        = 'cancelled',
        cancel_reason = CASE WHEN live.replaced THEN 'replaced' ELSE 'cancelled' END,
        lease_token   = NULL,
        leased_until  = NULL
    FROM live
    WHERE timer.ctid = live.place
    RETURNING timer.*
  )
  SELECT array_agg(sealwork.notice('scheduled_action', 'cancel', tenant_id, id, process_id, run_at))
    INTO notices
    FROM cancelled;

  WITH scheduled AS (
    INSERT INTO sealwork.scheduled_actions (
      tenant_id, id, stream, schedule_id, workflow_path, workflow_version,
      action, data,
      run_at, available_at, every_seconds, until, count, misfire,
      status, last_attempt_result, last_attempt_error,
      caused_by_event_hash, caused_by_seq, caused_by_action, caused_by_actor, caused_by_at)
    SELECT
      item.tenant, (effect->>'work')::uuid, item.stream, effect->>'id',
      item.definition->>'path', (item.definition->>'version')::int,
      effect->>'action',
      CASE WHEN effect ? 'hash_at' THEN sealwork.with_hash(effect->'data', effect->'hash_at', item.hash)
           ELSE coalesce(effect->'data', '{}') END,
      (effect->>'run_at')::timestamptz, (effect->>'run_at')::timestamptz, (effect->>'every')::bigint,
      (effect->>'until')::timestamptz, (effect->>'count')::int, coalesce(effect->>'misfire', 'fire_once'),
      CASE WHEN effect ? 'failed' THEN 'failed' ELSE 'active' END,
      CASE WHEN effect ? 'failed' THEN 'failed' END,
      sealwork.clean_error(effect->>'failed'),
      item.hash, (item.sealed->>'seq')::bigint, item.action, item.sealed->>'actor', (item.sealed->>'recorded_at')::timestamptz
    FROM unnest(verdicts, tenants, streams, hashes, records, definitions, actions)
           AS item(verdict, tenant, stream, hash, sealed, definition, action),
         jsonb_array_elements(item.sealed->'effects') AS effect
    WHERE item.verdict = 'appended' AND effect->>'kind' = 'schedule'
    RETURNING *
  )
  SELECT notices || array_agg(sealwork.notice('scheduled_action', 'upsert', tenant_id, id, process_id, run_at))
    INTO notices
    FROM scheduled
    WHERE status = 'active';

  PERFORM sealwork.announce('scheduled_actions_changed', notices);
END $$;

CREATE FUNCTION sealwork.write_queue_rows(
    verdicts text[], tenants text[], streams text[], hashes bytea[],
    records jsonb[], definitions jsonb[], actions text[], at timestamptz) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  deepest CONSTANT int := 25;   -- hops without delay; a workflow that feeds itself stops here
  notices text[];
BEGIN
  WITH queued AS (
    INSERT INTO sealwork.automation_queue (
      tenant_id, id, stream, workflow_path, workflow_version,
      action, source, rule_version,
      data,
      reason,
      available_state, depth, queued_at, available_at,
      status, last_attempt_result, last_attempt_error, completed_at,
      caused_by_event_hash, caused_by_seq, caused_by_action, caused_by_actor, caused_by_at)
    SELECT
      item.tenant, (effect->>'work')::uuid, item.stream,
      item.definition->>'path', (item.definition->>'version')::int,
      effect->>'action', coalesce(effect->>'rule', 'auto'), (effect->>'version')::int,
      CASE WHEN effect ? 'hash_at' THEN sealwork.with_hash(effect->'data', effect->'hash_at', item.hash)
           ELSE coalesce(effect->'data', '{}') END,
      CASE effect->>'kind' WHEN 'auto' THEN 'auto action became available' ELSE 'rule matched' END,
      item.sealed->'state'->>'name', hop.depth, at, at,
      CASE WHEN born.failed IS NULL THEN 'pending' ELSE 'failed' END,
      CASE WHEN born.failed IS NOT NULL THEN 'failed' END,
      born.failed,
      CASE WHEN born.failed IS NOT NULL THEN at END,
      item.hash, (item.sealed->>'seq')::bigint, item.action, item.sealed->>'actor', (item.sealed->>'recorded_at')::timestamptz
    FROM unnest(verdicts, tenants, streams, hashes, records, definitions, actions)
           AS item(verdict, tenant, stream, hash, sealed, definition, action),
         LATERAL (SELECT (item.sealed->>'depth')::int + 1) AS hop(depth),
         jsonb_array_elements(item.sealed->'effects') AS effect,
         LATERAL (
           SELECT CASE WHEN hop.depth > deepest THEN 'cascade_limit' ELSE sealwork.clean_error(effect->>'failed') END
         ) AS born(failed)
    WHERE item.verdict = 'appended' AND effect->>'kind' IN ('auto', 'rule')
    ON CONFLICT (tenant_id, stream, action, source) WHERE status = 'pending' AND source = 'auto' DO NOTHING
    RETURNING *
  )
  SELECT array_agg(sealwork.notice(CASE source WHEN 'auto' THEN 'auto_action' ELSE 'rule' END, 'upsert',
                                   tenant_id, id, process_id, available_at))
    INTO notices
    FROM queued
    WHERE status = 'pending';

  PERFORM sealwork.announce('automation_queue_changed', notices);
END $$;

RESET ROLE;
