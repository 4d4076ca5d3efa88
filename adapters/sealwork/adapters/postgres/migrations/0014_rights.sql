-- Rights: everyone writes through functions, and nobody holds INSERT, UPDATE, DELETE or TRUNCATE on anything.
--
-- A function that writes runs as the owner (SECURITY DEFINER, search_path pinned); all else runs as its caller.
-- Tables are named one by one: a new table is nobody's until its own migration says whose.

SET ROLE sealwork_owner;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA sealwork FROM PUBLIC;

GRANT USAGE ON SCHEMA sealwork TO sealwork_engine, sealwork_worker, sealwork_intake, sealwork_reader;

-- The engine reads everything and appends.
GRANT SELECT ON
  sealwork.settings, sealwork.heads, sealwork.events, sealwork.documents, sealwork.actors,
  sealwork.scheduled_actions, sealwork.automation_queue, sealwork.stored_events
TO sealwork_engine, sealwork_reader;
GRANT EXECUTE ON FUNCTION
  sealwork.now, sealwork.pae, sealwork.genesis_hash, sealwork.instant_text, sealwork.framed,
  sealwork.work_of_timer, sealwork.work_of_queue_row, sealwork.read_head
TO sealwork_engine, sealwork_reader;
GRANT EXECUTE ON FUNCTION sealwork.append_events TO sealwork_engine;

-- The worker sees work, and the keys among which its own must be valid.
GRANT SELECT ON
  sealwork.settings, sealwork.actors, sealwork.scheduled_actions, sealwork.automation_queue
TO sealwork_worker;
GRANT EXECUTE ON FUNCTION
  sealwork.now, sealwork.pae,
  sealwork.claim_work, sealwork.settle_work, sealwork.renew_lease, sealwork.next_due
TO sealwork_worker;

RESET ROLE;
