-- Listing work for people: failed rows and ended ones by when they were planned, and the rows of one process.
-- What waits has its index already. `depth` is never negative: the condition keeps the functions of the hot path,
-- which do not state it, from taking these indexes.

SET ROLE sealwork_owner;

CREATE INDEX scheduled_actions_failed ON sealwork.scheduled_actions (tenant_id, run_at, id)
  WHERE status = 'failed';
CREATE INDEX automation_queue_failed ON sealwork.automation_queue (tenant_id, queued_at, id)
  WHERE status = 'failed';

CREATE INDEX scheduled_actions_ended ON sealwork.scheduled_actions (tenant_id, run_at, id)
  WHERE due IS NULL AND status <> 'failed';
CREATE INDEX automation_queue_ended ON sealwork.automation_queue (tenant_id, queued_at, id)
  WHERE due IS NULL AND status <> 'failed';

CREATE INDEX scheduled_actions_of_process ON sealwork.scheduled_actions (tenant_id, stream)
  WHERE depth >= 0;

RESET ROLE;
