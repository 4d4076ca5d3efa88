SELECT status, seq, hash
FROM sealwork.append_events(
  %b::bytea[], %b::bytea[], %b::bytea[], %b::bytea[], %b::bytea[], %b::uuid[], %b::bytea[], %b::int4[])
ORDER BY i
