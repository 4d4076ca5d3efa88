-- How the functions are planned.
--
-- Every access of the hot path is by index, whatever the statistics say. A plan made while the tables were empty
-- stays for the life of a session and must be good for a million rows; planning anew costs more than running.
-- Without jit off, a plan node that is switched off counts as so expensive that the statement would be compiled
-- (20 to 700 ms).
--
-- The settings leave choices, so the statements are written to leave none:
-- * A join with a table that is thought to be small may read the whole of it once instead of one row per item, and
--   so may an EXISTS. Rows are looked up in a LATERAL with a LIMIT or a lock, or in a scalar subquery.
-- * For the same reason rows are updated by their ctid. It was read from a row that this transaction has locked,
--   and no other access is cheaper at any size. A LIMIT of the length of the batch takes nothing away; it only has
--   the planner expect one row.
-- * A condition that implies the one of a partial index offers that whole index, so `status` is compared where the
--   planner does not look: in a CASE, or after the lookup.

SET ROLE sealwork_owner;

DO $$
DECLARE
  function_name text;
  setting       text;
BEGIN
  FOREACH function_name IN ARRAY ARRAY[
    'append_events', 'claim_work', 'settle_work', 'renew_lease', 'next_due', 'read_head'
  ] LOOP
    FOREACH setting IN ARRAY ARRAY[
      'plan_cache_mode = force_generic_plan', 'jit = off',
      'enable_seqscan = off', 'enable_bitmapscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off'
    ] LOOP
      EXECUTE format('ALTER FUNCTION sealwork.%I SET %s', function_name, setting);
    END LOOP;
  END LOOP;
END $$;

-- These two must walk their index in order, since a stored plan does not know the LIMIT. Elsewhere the same
-- setting would make the ordered locking walk a whole table instead of sorting fifty rows.
ALTER FUNCTION sealwork.claim_work SET enable_sort = off;
ALTER FUNCTION sealwork.next_due   SET enable_sort = off;

RESET ROLE;
