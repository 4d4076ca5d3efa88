-- Settling: what became of claimed rows. Only status and attempts change here, never a definition or the log.

SET ROLE sealwork_owner;

-- ops: complete | skip | fail | retry | release, one per row, with its wait (retry, release) and error.
-- Every op asks the fence first: if the event of this (work id, occurrence) is stored, it is a complete, and a
-- complete needs no lease. Retry and release keep the row claimed, free to be taken when the wait is over;
-- a release gives the attempt back. Every op but a release begins the count of deaths anew: the worker lives, while
-- a release says that the row was not tried.
-- result: what the row became (active is the next occurrence), retry, release, or else
-- no_event (complete, but nothing to record) and lost (the row belongs to another).
CREATE FUNCTION sealwork.settle_work(
    token uuid, tenants text[], ids uuid[], occurrences int[], ops text[], wait_seconds float8[], errors text[])
  RETURNS TABLE (i int, result text)
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, sealwork, pg_temp AS $$
#variable_conflict use_column
DECLARE
  at      timestamptz := sealwork.now();
  settled int[];
  results text[];
  notices text[];
BEGIN
  PERFORM sealwork.may_be_lost();

  PERFORM 1
    FROM (SELECT * FROM unnest(tenants, ids) AS item(tenant, id) ORDER BY tenant, id) AS item,
         LATERAL (
           SELECT 1 FROM sealwork.scheduled_actions WHERE tenant_id = item.tenant AND id = item.id FOR NO KEY UPDATE
         ) AS locked;
  IF FOUND THEN
    WITH attempted AS (
      SELECT k, timer.place, timer.until, timer.count, timer.status,
             fired.hash AS fired_hash,
             fired.recorded_at AS fired_at,
             CASE WHEN fired.hash IS NULL THEN op ELSE 'complete' END AS op,
             error,
             make_interval(secs => coalesce(wait, 0)) AS wait,
             timer.run_at + make_interval(secs => timer.every_seconds) AS next_run_at,
             timer.fire_count + (fired.hash IS NOT NULL)::int AS fires,
             timer.every_seconds IS NOT NULL AS recurs
      FROM unnest(tenants, ids, occurrences, ops, wait_seconds, errors) WITH ORDINALITY
             AS item(tenant, id, occurrence, op, wait, error, k)
      CROSS JOIN LATERAL (
        SELECT ctid AS place, * FROM sealwork.scheduled_actions
        WHERE tenant_id = item.tenant AND id = item.id
        LIMIT 1
      ) AS timer
      LEFT JOIN LATERAL (
        SELECT hash, recorded_at FROM sealwork.events
        WHERE tenant_id = item.tenant AND work_id = item.id AND occurrence = item.occurrence
        LIMIT 1
      ) AS fired ON true
      WHERE timer.occurrence = item.occurrence
        AND CASE
          WHEN fired.hash IS NULL THEN op <> 'complete' AND timer.status = 'claimed' AND timer.lease_token = token
          ELSE timer.status IN ('claimed', 'cancelled') AND timer.fired_event_hash IS DISTINCT FROM fired.hash
        END
      LIMIT cardinality(ids)
    ), decided AS (
      SELECT attempted.*,
             CASE
               WHEN op = 'fail' THEN 'failed'
               WHEN op IN ('retry', 'release') THEN 'claimed'
               WHEN status = 'cancelled' AND recurs THEN 'cancelled'
               WHEN op = 'skip' AND NOT recurs THEN 'skipped'
               WHEN NOT recurs OR fires >= count OR next_run_at > until THEN 'exhausted'
               ELSE 'active'
             END AS became
      FROM attempted
    ), changed AS (
      UPDATE sealwork.scheduled_actions AS timer
      SET status              = became,
          cancel_reason       = CASE became WHEN 'cancelled' THEN timer.cancel_reason END,
          fire_count          = fires,
          fired_event_hash    = coalesce(fired_hash, timer.fired_event_hash),
          fired_at            = coalesce(decided.fired_at, timer.fired_at),
          lease_token         = NULL,
          leased_until        = CASE became WHEN 'claimed' THEN at + wait END,
          available_at        = CASE WHEN became = 'active' THEN next_run_at
                                     WHEN op = 'retry' THEN at + wait
                                     ELSE timer.available_at END,
          run_at              = CASE became WHEN 'active' THEN next_run_at ELSE timer.run_at END,
          occurrence          = timer.occurrence + CASE became WHEN 'active' THEN 1 ELSE 0 END,
          missed              = CASE became WHEN 'active' THEN NULL ELSE timer.missed END,
          first_claimed_at    = CASE became WHEN 'active' THEN NULL ELSE timer.first_claimed_at END,
          attempts            = CASE WHEN became = 'active' THEN 0
                                     WHEN op = 'release' THEN timer.attempts - 1
                                     ELSE timer.attempts END,
          deaths              = CASE op WHEN 'release' THEN timer.deaths ELSE 0 END,
          last_attempt_result = CASE op WHEN 'complete' THEN 'accepted'
                                        WHEN 'skip' THEN 'skipped'
                                        WHEN 'fail' THEN 'failed'
                                        WHEN 'retry' THEN 'transient_error'
                                        ELSE timer.last_attempt_result END,
          last_attempt_error  = CASE op WHEN 'complete' THEN NULL
                                        WHEN 'release' THEN timer.last_attempt_error
                                        ELSE sealwork.clean_error(error) END
      FROM decided
      WHERE timer.ctid = decided.place
      RETURNING decided.k, decided.op, became, timer.tenant_id, timer.id, timer.process_id, timer.run_at
    )
    SELECT array_agg(k),
           array_agg(CASE became WHEN 'claimed' THEN op ELSE became END),
           array_agg(sealwork.notice('scheduled_action', 'upsert', tenant_id, id, process_id, run_at))
             FILTER (WHERE became = 'active')
      INTO settled, results, notices
      FROM changed;
    PERFORM sealwork.announce('scheduled_actions_changed', notices);
  END IF;

  PERFORM 1
    FROM (SELECT * FROM unnest(tenants, ids) AS item(tenant, id) ORDER BY tenant, id) AS item,
         LATERAL (
           SELECT 1 FROM sealwork.automation_queue WHERE tenant_id = item.tenant AND id = item.id FOR NO KEY UPDATE
         ) AS locked;
  IF FOUND THEN
    WITH attempted AS (
      SELECT k, queued.place,
             fired.hash AS fired_hash,
             fired.recorded_at AS fired_at,
             CASE WHEN fired.hash IS NULL THEN op ELSE 'complete' END AS op,
             error,
             make_interval(secs => coalesce(wait, 0)) AS wait
      FROM unnest(tenants, ids, ops, wait_seconds, errors) WITH ORDINALITY
             AS item(tenant, id, op, wait, error, k)
      CROSS JOIN LATERAL (
        SELECT ctid AS place, * FROM sealwork.automation_queue
        WHERE tenant_id = item.tenant AND id = item.id
        LIMIT 1
      ) AS queued
      LEFT JOIN LATERAL (
        SELECT hash, recorded_at FROM sealwork.events
        WHERE tenant_id = item.tenant AND work_id = item.id AND occurrence = 1
        LIMIT 1
      ) AS fired ON true
      WHERE queued.status = 'claimed'
        AND (fired.hash IS NOT NULL OR op <> 'complete' AND queued.lease_token = token)
      LIMIT cardinality(ids)
    ), changed AS (
      UPDATE sealwork.automation_queue AS queued
      SET status              = CASE op WHEN 'complete' THEN 'completed'
                                        WHEN 'skip' THEN 'skipped'
                                        WHEN 'fail' THEN 'failed'
                                        ELSE 'claimed' END,
          fired_event_hash    = fired_hash,
          fired_at            = attempted.fired_at,
          lease_token         = NULL,
          leased_until        = CASE WHEN op IN ('retry', 'release') THEN at + wait END,
          available_at        = CASE op WHEN 'retry' THEN at + wait ELSE queued.available_at END,
          completed_at        = CASE WHEN op IN ('complete', 'skip', 'fail') THEN at END,
          attempts            = queued.attempts - (op = 'release')::int,
          deaths              = CASE op WHEN 'release' THEN queued.deaths ELSE 0 END,
          last_attempt_result = CASE op WHEN 'complete' THEN 'accepted'
                                        WHEN 'skip' THEN 'skipped'
                                        WHEN 'fail' THEN 'failed'
                                        WHEN 'retry' THEN 'transient_error'
                                        ELSE queued.last_attempt_result END,
          last_attempt_error  = CASE op WHEN 'complete' THEN NULL
                                        WHEN 'release' THEN queued.last_attempt_error
                                        ELSE sealwork.clean_error(error) END
      FROM attempted
      WHERE queued.ctid = attempted.place
      RETURNING attempted.k, attempted.op, queued.status
    )
    SELECT settled || array_agg(k::int),
           results || array_agg(CASE status WHEN 'claimed' THEN op ELSE status END)
      INTO settled, results
      FROM changed;
  END IF;

  RETURN QUERY
    SELECT item.k::int, coalesce(settling.result, CASE op WHEN 'complete' THEN 'no_event' ELSE 'lost' END)
    FROM unnest(ops) WITH ORDINALITY AS item(op, k)
    LEFT JOIN unnest(settled, results) AS settling(k, result) ON settling.k = item.k
    ORDER BY item.k;
END $$;

-- The ids that are still this token's, now leased for longer.
CREATE FUNCTION sealwork.renew_lease(token uuid, tenants text[], ids uuid[], lease_seconds float8)
  RETURNS SETOF uuid
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, sealwork, pg_temp AS $$
DECLARE
  lease_ends timestamptz := sealwork.now() + make_interval(secs => lease_seconds);
BEGIN
  PERFORM sealwork.may_be_lost();

  PERFORM 1
    FROM (SELECT * FROM unnest(tenants, ids) AS item(tenant, id) ORDER BY tenant, id) AS item,
         LATERAL (
           SELECT 1 FROM sealwork.scheduled_actions WHERE tenant_id = item.tenant AND id = item.id FOR NO KEY UPDATE
         ) AS locked;
  PERFORM 1
    FROM (SELECT * FROM unnest(tenants, ids) AS item(tenant, id) ORDER BY tenant, id) AS item,
         LATERAL (
           SELECT 1 FROM sealwork.automation_queue WHERE tenant_id = item.tenant AND id = item.id FOR NO KEY UPDATE
         ) AS locked;

  RETURN QUERY
    UPDATE sealwork.scheduled_actions AS timer
    SET leased_until = lease_ends
    FROM (
      SELECT mine.place
      FROM unnest(tenants, ids) AS item(tenant, id),
           LATERAL (
             SELECT ctid AS place, lease_token FROM sealwork.scheduled_actions
             WHERE tenant_id = item.tenant AND id = item.id
             LIMIT 1
           ) AS mine
      WHERE mine.lease_token = token
    ) AS leased
    WHERE timer.ctid = leased.place
    RETURNING timer.id;
  RETURN QUERY
    UPDATE sealwork.automation_queue AS queued
    SET leased_until = lease_ends
    FROM (
      SELECT mine.place
      FROM unnest(tenants, ids) AS item(tenant, id),
           LATERAL (
             SELECT ctid AS place, lease_token FROM sealwork.automation_queue
             WHERE tenant_id = item.tenant AND id = item.id
             LIMIT 1
           ) AS mine
      WHERE mine.lease_token = token
    ) AS leased
    WHERE queued.ctid = leased.place
    RETURNING queued.id;
END $$;

RESET ROLE;
