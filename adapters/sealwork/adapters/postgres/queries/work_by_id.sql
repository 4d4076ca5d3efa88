WITH listed AS (
  SELECT lane, %(id)s::uuid AS id, 1 AS nth FROM unnest(ARRAY['timer', 'queue']) AS lane
)
