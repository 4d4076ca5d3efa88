-- From signed bytes to hashes, and from instants to the text that is signed.

SET ROLE sealwork_owner;

-- The pre-authentication encoding of DSSE 1.0.2: what is hashed and signed says what it is.
-- STABLE like convert_to: marked IMMUTABLE, the functions here would not be inlined.
CREATE FUNCTION sealwork.pae(media_type text, body bytea) RETURNS bytea
  LANGUAGE sql STABLE AS $$
  SELECT convert_to('DSSEv1 ' || octet_length(media_type) || ' ' || media_type
                    || ' ' || octet_length(body) || ' ', 'UTF8') || body
$$;

-- What the first event of a stream names as its predecessor.
CREATE FUNCTION sealwork.genesis_hash(origin text, tenant text, stream text) RETURNS bytea
  LANGUAGE sql STABLE AS $$
  SELECT sha256(sealwork.pae('application/vnd.sealwork.genesis.v1',
                             convert_to(origin || E'\n' || tenant || E'\n' || stream, 'UTF8')))
$$;

-- The 27 characters that instants have in signed JSON, whatever the time zone of the session.
CREATE FUNCTION sealwork.instant_text(instant timestamptz) RETURNS text
  LANGUAGE sql STABLE AS $$
  SELECT to_char(instant AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- The workflow version that an event was decided by. A child's first event has no intent of its own;
-- its record says it.
CREATE FUNCTION sealwork.definition_of(intent jsonb, record jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(intent->'definition', record->'definition')
$$;

-- At most 2,000 bytes, cut between characters, on one line and without what could rewrite a terminal.
CREATE FUNCTION sealwork.clean_error(message text) RETURNS text
  LANGUAGE plpgsql STABLE AS $$
DECLARE
  bytes bytea := convert_to(
    regexp_replace(left(message, 2000), '[\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+', ' ', 'g'), 'UTF8');
  keep  int   := 2000;
BEGIN
  IF octet_length(bytes) <= keep THEN
    RETURN convert_from(bytes, 'UTF8');
  END IF;
  WHILE get_byte(bytes, keep) & 192 = 128 LOOP   -- what would be cut off must begin with a whole character
    keep := keep - 1;
  END LOOP;
  RETURN convert_from(substr(bytes, 1, keep), 'UTF8');
END $$;

RESET ROLE;
