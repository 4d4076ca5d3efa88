-- The one way into the log.
--
-- A call brings a batch of items, one array per column. Whatever the rows say is read from the signed bytes, so
-- no second copy can disagree with them; a caller adds signatures, state bytes, lease tokens and documents only.
-- Items with one number in `commits` stand or fall together. A stream stands once in a call.
--
-- status: appended | duplicate (seq and hash of the stored event) | id_conflict | stale | not_claimed |
-- context_moved. A batch that is refused with SQLSTATE class 22 or 23 has written nothing; its caller sends
-- every commit again alone.
--
-- One order of locks everywhere: tenants, heads by (tenant, stream), timers by (tenant, id), queue rows by
-- (tenant, id). Locks are taken in a statement of their own before the one that checks, because a statement
-- checks what was there when it began, not what its locks waited for.

SET ROLE sealwork_owner;

CREATE FUNCTION sealwork.append_events(
    records bytea[], record_sigs bytea[], intents bytea[], intent_sigs bytea[],
    states bytea[], leases uuid[], documents bytea[], commits int[])
  RETURNS TABLE (i int, status text, seq bigint, hash bytea)
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, sealwork, pg_temp AS $$
#variable_conflict use_column
DECLARE
  record_docs   jsonb[];   -- what the engine sealed
  intent_docs   jsonb[];   -- what the actor signed; null for an item without an intent
  -- read from these
  tenants       text[];
  streams       text[];
  seqs          bigint[];
  prevs         bytea[];
  hashes        bytea[];
  ids           uuid[];
  work_ids      uuid[];
  occurrences   int[];
  definitions   jsonb[];
  actions       text[];
  names_work    boolean;
  moves_timers  boolean;
  queues_work   boolean;
  moves_actors  boolean;
  has_documents boolean;
  streams_once  boolean;
  wrong_items   int[];
  -- decided
  verdicts      text[];
  head_places   tid[];
  stored_seqs   bigint[];
  stored_hashes bytea[];
  log_origin    text        := (SELECT origin FROM sealwork.settings);
  at            timestamptz := sealwork.now();
  locked_at     timestamptz;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'append_events needs READ COMMITTED: every check must see what the locks waited for';
  END IF;
  IF log_origin IS NULL THEN
    RAISE EXCEPTION 'the origin of this database is not set';
  END IF;
  -- An event must not be lost in a crash, whatever the session or an earlier claim chose.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;

  -- Parsed once, in a statement of its own: as a LATERAL it would be parsed at every mention.
  SELECT array_agg(convert_from(record, 'UTF8')::jsonb ORDER BY k),
         array_agg(convert_from(intent, 'UTF8')::jsonb ORDER BY k)
    INTO record_docs, intent_docs
    FROM unnest(records, intents) WITH ORDINALITY AS item(record, intent, k);

  SELECT array_agg(sealed->>'tenant' ORDER BY k),
         array_agg(sealed->>'stream' ORDER BY k),
         array_agg((sealed->>'seq')::bigint ORDER BY k),
         array_agg(decode(sealed->>'prev', 'hex') ORDER BY k),
         array_agg(sha256(sealwork.pae('application/vnd.sealwork.record.v1+json', record)) ORDER BY k),
         array_agg((signed->>'id')::uuid ORDER BY k),
         array_agg((claim->>'work_id')::uuid ORDER BY k),
         array_agg((claim->>'occurrence')::int ORDER BY k),
         array_agg(sealwork.definition_of(signed, sealed) ORDER BY k),
         array_agg(coalesce(signed->>'action', sealed->>'action') ORDER BY k),
         bool_or(claim IS NOT NULL),
         bool_or(sealed->'effects' @> '[{"kind": "cancel"}]' OR sealed->'effects' @> '[{"kind": "schedule"}]'),
         bool_or(sealed->'effects' @> '[{"kind": "auto"}]' OR sealed->'effects' @> '[{"kind": "rule"}]'),
         bool_or(sealed->>'stream' = 'actors/registry'),
         bool_or(document IS NOT NULL),
         count(DISTINCT (sealed->>'tenant', sealed->>'stream')) = count(*),
         array_agg(k ORDER BY k) FILTER (WHERE NOT coalesce(
           sealed->>'origin' = log_origin
           AND sealed->'state'->>'sha256' = encode(sha256(state), 'hex')
           AND CASE
             WHEN intent IS NULL THEN sealed->'intent' IS NULL AND sealed->'cause' IS NOT NULL
             ELSE sealed->'cause' IS NULL
               AND sealed->>'intent'
                 = encode(sha256(sealwork.pae('application/vnd.sealwork.intent.v1+json', intent)), 'hex')
               AND sealed->>'intent_sig' = encode(intent_sig, 'hex')
               AND (sealed->'origin', sealed->'tenant', sealed->'stream', sealed->'seq', sealed->'prev')
                 = (signed->'origin', signed->'tenant', signed->'stream', signed->'seq', signed->'prev')
               AND sealed->'actor' = signed->'key'
           END
           AND (document IS NULL OR signed->'input'->>'sha256' = encode(sha256(document), 'hex')), false))
    INTO tenants, streams, seqs, prevs, hashes, ids, work_ids, occurrences, definitions, actions,
         names_work, moves_timers, queues_work, moves_actors, has_documents, streams_once, wrong_items
    FROM unnest(records, intents, intent_sigs, states, documents, record_docs, intent_docs) WITH ORDINALITY
           AS item(record, intent, intent_sig, state, document, sealed, signed, k),
         LATERAL (SELECT signed->'input'->'meta'->'automation') AS provenance(claim);
  IF streams_once IS NOT TRUE THEN
    RAISE EXCEPTION 'a stream stands once in a batch' USING ERRCODE = '22000';
  END IF;
  IF wrong_items IS NOT NULL THEN
    RAISE EXCEPTION 'signed bytes and batch differ in items %', wrong_items USING ERRCODE = '22000';
  END IF;

  -- Events share their tenant; a change of its actors or rules has it alone. Tenant `system` too: records pin its
  -- registry. The strongest mode needed is taken at once, since two that upgrade would wait for each other.
  PERFORM CASE WHEN alone THEN pg_advisory_xact_lock(key) ELSE pg_advisory_xact_lock_shared(key) END
    FROM (
      SELECT hashtextextended('sealwork ' || tenant, 0) AS key,
             bool_or(stream IN ('actors/registry', 'rules/set')) AS alone
      FROM (SELECT * FROM unnest(tenants, streams) UNION ALL SELECT 'system', '') AS item(tenant, stream)
      GROUP BY 1
      ORDER BY 1
    ) AS tenant_locks;

  IF 1 = ANY (seqs) THEN
    INSERT INTO sealwork.heads (tenant_id, stream, seq, hash)
      SELECT tenant, item.stream, 0, sealwork.genesis_hash(log_origin, tenant, item.stream)
      FROM unnest(tenants, streams, seqs) AS item(tenant, stream, seq)
      WHERE item.seq = 1
      ORDER BY tenant, item.stream
      ON CONFLICT DO NOTHING;
  END IF;

  PERFORM 1
    FROM (SELECT * FROM unnest(tenants, streams) AS item(tenant, stream) ORDER BY tenant, stream) AS item,
         LATERAL (
           SELECT 1 FROM sealwork.heads WHERE tenant_id = item.tenant AND stream = item.stream FOR NO KEY UPDATE
         ) AS locked;

  IF names_work OR moves_timers THEN
    PERFORM 1
      FROM (
        SELECT tenant, work_id AS id
        FROM unnest(tenants, work_ids) AS item(tenant, work_id)
        WHERE work_id IS NOT NULL
        UNION
        SELECT tenant, live.id
        FROM (
               SELECT DISTINCT item.tenant, item.stream, effect->>'id' AS schedule_id
               FROM unnest(tenants, streams, record_docs) AS item(tenant, stream, sealed),
                    jsonb_array_elements(sealed->'effects') AS effect
               WHERE effect->>'kind' IN ('cancel', 'schedule')
             ) AS named,
             LATERAL (
               SELECT id
               FROM sealwork.scheduled_actions
               WHERE tenant_id = named.tenant AND stream = named.stream AND schedule_id = named.schedule_id
                 AND status IN ('active', 'claimed')
               LIMIT 1
             ) AS live
        ORDER BY tenant, id
      ) AS item,
      LATERAL (
        SELECT 1 FROM sealwork.scheduled_actions WHERE tenant_id = item.tenant AND id = item.id FOR NO KEY UPDATE
      ) AS locked;
    PERFORM 1
      FROM (SELECT * FROM unnest(tenants, work_ids) AS item(tenant, id) ORDER BY tenant, id) AS item,
           LATERAL (
             SELECT 1 FROM sealwork.automation_queue WHERE tenant_id = item.tenant AND id = item.id FOR NO KEY UPDATE
           ) AS locked;
  END IF;

  -- From here on nothing that is checked can change. The order of the cases is the order of the answers. What was
  -- read from the clock so long ago that actors or definitions may have moved since is decided again.
  locked_at := sealwork.now();
  WITH judged AS MATERIALIZED (
    SELECT item.k,
           item.commit_number,
           head.place AS head_place,
           coalesce(same_id.seq, fired.seq)   AS stored_seq,
           coalesce(same_id.hash, fired.hash) AS stored_hash,
           CASE
             WHEN same_id.intent = item.intent THEN 'duplicate'
             WHEN same_id.id IS NOT NULL THEN 'id_conflict'
             WHEN fired.work_id IS NOT NULL THEN 'duplicate'
             WHEN head.hash IS DISTINCT FROM item.prev OR head.seq + 1 <> item.seq THEN 'stale'
             WHEN item.work_id IS NOT NULL
              AND ((timer.stream, timer.status, timer.lease_token, timer.occurrence)
                   = (item.stream, 'claimed', item.lease, item.occurrence)) IS NOT TRUE
              AND ((queued.stream, queued.status, queued.lease_token, 1)
                   = (item.stream, 'claimed', item.lease, item.occurrence)) IS NOT TRUE THEN 'not_claimed'
             WHEN (sealed->'actors'->>'tenant')::bigint IS DISTINCT FROM coalesce((
                    SELECT seq FROM sealwork.heads WHERE tenant_id = item.tenant AND stream = 'actors/registry'), 0)
               OR (sealed->'actors'->>'system')::bigint IS DISTINCT FROM coalesce((
                    SELECT seq FROM sealwork.heads WHERE tenant_id = 'system' AND stream = 'actors/registry'), 0)
               OR (sealed->>'rules')::bigint IS DISTINCT FROM coalesce((
                    SELECT seq FROM sealwork.heads WHERE tenant_id = item.tenant AND stream = 'rules/set'), 0)
               OR (sealed->>'recorded_at')::timestamptz < locked_at - interval '30 seconds'
               THEN 'context_moved'
             ELSE 'appended'
           END AS own
    FROM unnest(tenants, streams, seqs, prevs, ids, work_ids, occurrences, leases, commits, intents, record_docs)
           WITH ORDINALITY
           AS item(tenant, stream, seq, prev, id, work_id, occurrence, lease, commit_number, intent, sealed, k)
    LEFT JOIN LATERAL (
      SELECT ctid AS place, seq, hash FROM sealwork.heads
      WHERE tenant_id = item.tenant AND stream = item.stream
      LIMIT 1
    ) AS head ON true
    LEFT JOIN LATERAL (
      SELECT id, seq, hash, intent FROM sealwork.events
      WHERE tenant_id = item.tenant AND stream = item.stream AND id = item.id
      LIMIT 1
    ) AS same_id ON true
    LEFT JOIN LATERAL (
      SELECT work_id, seq, hash FROM sealwork.events
      WHERE tenant_id = item.tenant AND work_id = item.work_id AND occurrence = item.occurrence
      LIMIT 1
    ) AS fired ON true
    LEFT JOIN LATERAL (
      SELECT stream, status, lease_token, occurrence FROM sealwork.scheduled_actions
      WHERE tenant_id = item.tenant AND id = item.work_id
      LIMIT 1
    ) AS timer ON true
    LEFT JOIN LATERAL (
      SELECT stream, status, lease_token FROM sealwork.automation_queue
      WHERE tenant_id = item.tenant AND id = item.work_id
      LIMIT 1
    ) AS queued ON true
  ), agreed AS (
    SELECT judged.*, min(own) FILTER (WHERE own <> 'appended') OVER (PARTITION BY commit_number) AS spoiled
    FROM judged
  )
  SELECT array_agg(CASE WHEN spoiled IS NULL OR own = 'duplicate' THEN own ELSE spoiled END ORDER BY k),
         array_agg(head_place ORDER BY k),
         array_agg(stored_seq ORDER BY k),
         array_agg(stored_hash ORDER BY k)
    INTO verdicts, head_places, stored_seqs, stored_hashes
    FROM agreed;

  IF 'appended' = ANY (verdicts) THEN
    INSERT INTO sealwork.events (
        tenant_id, stream, seq, id, prev, hash, intent, intent_sig, record, record_sig,
        work_id, occurrence, recorded_at, doc)
      SELECT tenant, item.stream, item.seq, item.id, item.prev, item.hash,
             item.intent, item.intent_sig, item.record, item.record_sig,
             item.work_id, item.occurrence, (sealed->>'recorded_at')::timestamptz,
             jsonb_build_object('action', action, 'actor', sealed->'actor', 'state', sealed->'state'->'name')
      FROM unnest(verdicts, tenants, streams, seqs, ids, prevs, hashes, intents, intent_sigs, records, record_sigs,
                  work_ids, occurrences, actions, record_docs)
             AS item(verdict, tenant, stream, seq, id, prev, hash, intent, intent_sig, record, record_sig,
                     work_id, occurrence, action, sealed)
      WHERE verdict = 'appended';

    UPDATE sealwork.heads AS head
      SET seq = item.seq, hash = item.hash, state = item.state
      FROM unnest(verdicts, head_places, seqs, hashes, states) AS item(verdict, place, seq, hash, state)
      WHERE verdict = 'appended' AND head.ctid = place;

    IF has_documents THEN
      INSERT INTO sealwork.documents (tenant_id, sha256, body)
        SELECT tenant, sha256(document), document
        FROM unnest(verdicts, tenants, documents) AS item(verdict, tenant, document)
        WHERE verdict = 'appended' AND document IS NOT NULL
        ORDER BY 1, 2   -- two batches with the same documents must not wait for each other
        ON CONFLICT DO NOTHING;
    END IF;
    IF moves_actors THEN
      PERFORM sealwork.project_actors(array_agg(tenant), array_agg(item.seq), array_agg(signed))
        FROM unnest(verdicts, tenants, streams, seqs, intent_docs) AS item(verdict, tenant, stream, seq, signed)
        WHERE verdict = 'appended' AND item.stream = 'actors/registry';
    END IF;
    IF moves_timers THEN
      PERFORM sealwork.write_timers(verdicts, tenants, streams, hashes, record_docs, definitions, actions);
    END IF;
    IF queues_work THEN
      PERFORM sealwork.write_queue_rows(verdicts, tenants, streams, hashes, record_docs, definitions, actions, at);
    END IF;
  END IF;

  -- A first event that was refused leaves no head behind.
  IF 1 = ANY (seqs) THEN
    DELETE FROM sealwork.heads AS head
      USING unnest(verdicts, head_places) AS item(verdict, place)
      WHERE verdict <> 'appended' AND head.ctid = place AND head.seq = 0;
  END IF;

  RETURN QUERY
    SELECT k::int, verdict,
           CASE verdict WHEN 'appended' THEN item.seq ELSE stored_seq END,
           CASE verdict WHEN 'appended' THEN item.hash ELSE stored_hash END
    FROM unnest(verdicts, seqs, hashes, stored_seqs, stored_hashes) WITH ORDINALITY
           AS item(verdict, seq, hash, stored_seq, stored_hash, k)
    ORDER BY k;
END $$;

RESET ROLE;
