SELECT sealwork.write_system_log(
  %s::text[], %s::uuid[], %s::text[], %s::text[], %s::int4[], %s::int4[], %s::text[], %s::text[], %b::bytea[])
