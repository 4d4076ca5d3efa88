-- Telling workers that work has changed. A notice is a hint and is heard only after the commit; the rows are the truth.

SET ROLE sealwork_owner;

-- Names and an instant only, never business data: a payload of 8,000 bytes would abort the event that caused it.
CREATE FUNCTION sealwork.notice(
    kind text, op text, tenant text, id uuid, process_id text, run_at timestamptz) RETURNS text
  LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'kind', kind, 'op', op, 'tenant_id', tenant, 'id', id, 'process_id', process_id,
    'run_at', sealwork.instant_text(run_at))::text
$$;

-- One notice per changed row, or one for all of them when there are many: a listener scans in any case.
CREATE FUNCTION sealwork.announce(channel text, notices text[]) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  IF cardinality(notices) > 20 THEN
    PERFORM pg_notify(channel, jsonb_build_object('op', 'many', 'rows', cardinality(notices))::text);
  ELSE
    PERFORM pg_notify(channel, notice) FROM unnest(notices) AS notice;
  END IF;
END $$;

RESET ROLE;
