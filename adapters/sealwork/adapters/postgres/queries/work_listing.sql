-- What failed, the newest first; what waits, by when it is due; what has ended, the newest first. Each part walks an
-- index of its own up to the limit; a part that is not asked for is not begun. `depth` is never negative: that
-- condition offers the indexes by process, which no other statement is to take.
WITH part AS (
  (SELECT 0 AS rank, 'timer' AS lane, run_at AS at, id FROM sealwork.scheduled_actions
   WHERE %(failed)s AND tenant_id = %(tenant)s AND status = 'failed'
     AND (run_at, id) < (%(failed_at)s::timestamptz, %(failed_id)s::uuid)
     AND (%(stream)s::text IS NULL OR stream = %(stream)s::text AND depth >= 0)
   ORDER BY run_at DESC, id DESC LIMIT %(limit)s)
  UNION ALL
  (SELECT 0 AS rank, 'queue' AS lane, queued_at AS at, id FROM sealwork.automation_queue
   WHERE %(failed)s AND tenant_id = %(tenant)s AND status = 'failed'
     AND (queued_at, id) < (%(failed_at)s::timestamptz, %(failed_id)s::uuid)
     AND (%(stream)s::text IS NULL OR stream = %(stream)s::text AND depth >= 0)
   ORDER BY queued_at DESC, id DESC LIMIT %(limit)s)
  UNION ALL
  (SELECT 1 AS rank, 'timer' AS lane, due AS at, id FROM sealwork.scheduled_actions
   WHERE %(live)s AND tenant_id = %(tenant)s AND due IS NOT NULL AND status = ANY (%(statuses)s::text[])
     AND (due, id) > (%(live_at)s::timestamptz, %(live_id)s::uuid)
     AND (%(stream)s::text IS NULL OR stream = %(stream)s::text AND depth >= 0)
   ORDER BY due, id LIMIT %(limit)s)
  UNION ALL
  (SELECT 1 AS rank, 'queue' AS lane, due AS at, id FROM sealwork.automation_queue
   WHERE %(live)s AND tenant_id = %(tenant)s AND due IS NOT NULL AND status = ANY (%(statuses)s::text[])
     AND (due, id) > (%(live_at)s::timestamptz, %(live_id)s::uuid)
     AND (%(stream)s::text IS NULL OR stream = %(stream)s::text AND depth >= 0)
   ORDER BY due, id LIMIT %(limit)s)
  UNION ALL
  (SELECT 2 AS rank, 'timer' AS lane, run_at AS at, id FROM sealwork.scheduled_actions
   WHERE %(ended)s AND tenant_id = %(tenant)s AND due IS NULL AND status <> 'failed' AND status = ANY (%(statuses)s::text[])
     AND (run_at, id) < (%(ended_at)s::timestamptz, %(ended_id)s::uuid)
     AND (%(stream)s::text IS NULL OR stream = %(stream)s::text AND depth >= 0)
   ORDER BY run_at DESC, id DESC LIMIT %(limit)s)
  UNION ALL
  (SELECT 2 AS rank, 'queue' AS lane, queued_at AS at, id FROM sealwork.automation_queue
   WHERE %(ended)s AND tenant_id = %(tenant)s AND due IS NULL AND status <> 'failed' AND status = ANY (%(statuses)s::text[])
     AND (queued_at, id) < (%(ended_at)s::timestamptz, %(ended_id)s::uuid)
     AND (%(stream)s::text IS NULL OR stream = %(stream)s::text AND depth >= 0)
   ORDER BY queued_at DESC, id DESC LIMIT %(limit)s)
), listed AS (
  SELECT lane, id, row_number() OVER (ORDER BY rank, CASE rank WHEN 1 THEN at END, CASE rank WHEN 1 THEN id END,
                                               at DESC, id DESC) AS nth
  FROM part
  ORDER BY nth
  LIMIT %(limit)s
)
