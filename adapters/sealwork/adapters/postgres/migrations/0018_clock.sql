-- The clock, planned once in a session.
--
-- A function in SQL that reads a table is planned again by every statement that calls it, before PostgreSQL 18: that
-- was a sixth of the time of reading a head. It is still volatile: read it once into a variable.

SET ROLE sealwork_owner;

CREATE OR REPLACE FUNCTION sealwork.now() RETURNS timestamptz
  LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT coalesce(clock_stands_at, clock_timestamp() + clock_offset) FROM sealwork.settings);
END $$;

RESET ROLE;
