-- Columns that say something else than the signed bytes beside them. What cannot be read says nothing here: that
-- its record or intent is none is found from the bytes.
SELECT tenant_id, stream, seq, misread.name
FROM sealwork.events AS event,
     LATERAL (
       SELECT sealwork.readable(record) AS sealed, sealwork.readable(intent) AS signed
       OFFSET 0
     ) AS bytes,
     LATERAL (SELECT signed->'input'->'meta'->'automation' AS claim) AS provenance,
     LATERAL (
       VALUES
         ('hash',        hash IS DISTINCT FROM sha256(sealwork.pae('application/vnd.sealwork.record.v1+json', record))),
         ('prev',        encode(prev, 'hex') IS DISTINCT FROM sealed->>'prev'),
         ('id',          id::text IS DISTINCT FROM lower(signed->>'id')),
         ('work_id',     work_id::text IS DISTINCT FROM lower(claim->>'work_id')),
         ('occurrence',  occurrence::text IS DISTINCT FROM claim->>'occurrence'),
         ('recorded_at', sealwork.instant_text(recorded_at) IS DISTINCT FROM sealed->>'recorded_at'),
         ('doc',         doc IS DISTINCT FROM jsonb_build_object(
                           'action', coalesce(signed->>'action', sealed->>'action'),
                           'actor', sealed->'actor', 'state', sealed->'state'->'name'))
     ) AS misread(name, differs)
WHERE (%(tenant)s::text IS NULL OR tenant_id = %(tenant)s)
  AND sealed IS NOT NULL AND (intent IS NULL OR signed IS NOT NULL)
  AND misread.differs
ORDER BY tenant_id COLLATE "C", stream COLLATE "C", seq, misread.name
