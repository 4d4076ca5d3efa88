-- For those who verify: the signed bytes as JSON, if they are JSON at all.

SET ROLE sealwork_owner;

CREATE FUNCTION sealwork.readable(body bytea) RETURNS jsonb
  LANGUAGE plpgsql STABLE
  SET search_path = pg_catalog, sealwork, pg_temp AS $$
BEGIN
  RETURN convert_from(body, 'UTF8')::jsonb;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION sealwork.readable FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sealwork.readable TO sealwork_engine, sealwork_reader;

RESET ROLE;
