-- What this database is (the origin of its log) and what time it is here.

SET ROLE sealwork_owner;

CREATE TABLE sealwork.settings (
  one             boolean  PRIMARY KEY DEFAULT true CHECK (one),
  origin          text     NOT NULL,
  clock_offset    interval NOT NULL DEFAULT '0',
  clock_stands_at timestamptz,
  CONSTRAINT origin_is_a_log_name
    CHECK (origin ~ '^[a-z0-9.-]+(/[a-z0-9._-]+)*$' AND length(origin) <= 200),
  CONSTRAINT only_demo_and_test_origins_move_the_clock
    CHECK ((clock_offset = '0' AND clock_stands_at IS NULL) OR origin ~ '^(demo|test)\.')
);

-- Every hash in the log begins at the origin, so it can be set but never changed.
CREATE FUNCTION sealwork.set_origin(name text) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sealwork.settings (origin) VALUES (name) ON CONFLICT (one) DO NOTHING;
  IF name IS DISTINCT FROM (SELECT origin FROM sealwork.settings) THEN
    RAISE EXCEPTION 'the origin of this database is already %', (SELECT origin FROM sealwork.settings)
      USING HINT = 'A log keeps its origin for ever; another log needs another database.';
  END IF;
END $$;

-- The one clock of the database. Volatile, so never in a WHERE, where an index could not use it:
-- read it once into a variable.
CREATE FUNCTION sealwork.now() RETURNS timestamptz
  LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(clock_stands_at, clock_timestamp() + clock_offset) FROM sealwork.settings
$$;

-- For demos and tests: from now on it is `instant`, and time runs on from there.
-- The offset is kept in seconds, since days would follow the time zone of whoever reads the clock.
CREATE FUNCTION sealwork.set_clock(instant timestamptz) RETURNS timestamptz
  LANGUAGE sql VOLATILE AS $$
  UPDATE sealwork.settings
  SET clock_offset = make_interval(secs => extract(epoch FROM instant - clock_timestamp())::float8),
      clock_stands_at = NULL
  RETURNING clock_timestamp() + clock_offset
$$;

CREATE FUNCTION sealwork.move_clock(forward interval) RETURNS timestamptz
  LANGUAGE sql VOLATILE AS $$
  UPDATE sealwork.settings
  SET clock_offset = make_interval(secs => extract(epoch FROM clock_offset + forward)::float8)
  RETURNING clock_timestamp() + clock_offset
$$;

-- For stories: from now on it is `instant`, and stays so.
CREATE FUNCTION sealwork.stop_clock(instant timestamptz) RETURNS void
  LANGUAGE sql VOLATILE AS $$
  UPDATE sealwork.settings SET clock_stands_at = instant
$$;

RESET ROLE;
