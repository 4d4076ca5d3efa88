-- All that the migrations make, one row each: what it is, and how it is. Run with an empty search_path, so that
-- every name is written whole. What logins are granted membership in is the deployment's affair, and not here.
WITH
  ours AS (SELECT oid, relname, relkind, relowner, relacl, relrowsecurity, relpersistence, reloptions
           FROM pg_class WHERE relnamespace = 'sealwork'::regnamespace),
  functions AS (SELECT *, format('%s(%s)', proname, pg_get_function_identity_arguments(oid)) AS called
                FROM pg_proc WHERE pronamespace = 'sealwork'::regnamespace),
  rights(object, owner, acl) AS (
    SELECT 'schema sealwork', nspowner, coalesce(nspacl, acldefault('n', nspowner))
      FROM pg_namespace WHERE nspname = 'sealwork'
    UNION ALL
    SELECT 'relation ' || relname, relowner, coalesce(relacl, acldefault('r', relowner))
      FROM ours WHERE relkind IN ('r', 'v', 'm', 'f', 'p')
    UNION ALL
    SELECT format('column %s.%s', relname, attname), relowner, attacl
      FROM pg_attribute JOIN ours ON ours.oid = attrelid WHERE attacl IS NOT NULL
    UNION ALL
    SELECT 'function ' || called, proowner, coalesce(proacl, acldefault('f', proowner)) FROM functions
    UNION ALL
    SELECT format('later objects of kind "%s"', defaclobjtype), defaclrole, defaclacl
      FROM pg_default_acl WHERE defaclrole = 'sealwork_owner'::regrole
  )
SELECT 'schema sealwork', 'owner ' || nspowner::regrole::text FROM pg_namespace WHERE nspname = 'sealwork'
UNION ALL
-- The bookkeeping of the migrations belongs to whoever migrated first. Where a view reads one table, PostgreSQL
-- names that before each column, or not, as its version likes.
SELECT format('relation %s', relname),
       concat_ws(', ', relkind, 'owner ' || CASE relname WHEN 'migrations' THEN 'any' ELSE relowner::regrole::text END,
                 relpersistence, 'row security ' || relrowsecurity, reloptions,
                 CASE relkind WHEN 'v' THEN encode(sha256(convert_to(
                   regexp_replace(pg_get_viewdef(oid), '\m(' || names || ')\.', '', 'g'), 'UTF8')), 'hex') END)
  FROM ours, (SELECT string_agg(relname, '|') AS names FROM ours) AS all_of_them WHERE relkind <> 'i'
UNION ALL
SELECT format('column %s.%s', relname, attname),
       concat_ws(', ', format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'not null' END,
                 'generated ' || nullif(attgenerated::text, ''), 'identity ' || nullif(attidentity::text, ''),
                 'default ' || pg_get_expr(adbin, adrelid))
  FROM pg_attribute JOIN ours ON ours.oid = attrelid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE relkind <> 'i' AND attnum > 0 AND NOT attisdropped
UNION ALL
-- Since PostgreSQL 18 "not null" is a constraint too: it stands with its column.
SELECT format('constraint %s.%s', relname, conname),
       pg_get_constraintdef(con.oid) || CASE WHEN convalidated THEN '' ELSE ', not validated' END
  FROM pg_constraint AS con JOIN ours ON ours.oid = conrelid WHERE contype <> 'n'
UNION ALL
SELECT 'index ' || relname,
       pg_get_indexdef(indexrelid) || CASE WHEN indisvalid AND indisready THEN '' ELSE ', not valid' END
  FROM pg_index JOIN ours ON ours.oid = indexrelid
UNION ALL
SELECT 'function ' || called,
       concat_ws(', ', 'returns ' || pg_get_function_result(oid), lanname, 'volatility ' || provolatile::text,
                 'kind ' || prokind::text, 'parallel ' || proparallel::text, CASE WHEN prosecdef THEN 'as its owner' END,
                 CASE WHEN proisstrict THEN 'strict' END, CASE WHEN proleakproof THEN 'leakproof' END,
                 'owner ' || proowner::regrole::text, array_to_string(proconfig, ', '),
                 'body ' || encode(sha256(convert_to(prosrc || coalesce(pg_get_function_sqlbody(oid), ''), 'UTF8')), 'hex'))
  FROM functions JOIN (SELECT oid AS language, lanname FROM pg_language) AS languages ON language = prolang
UNION ALL
SELECT format('trigger %s.%s', relname, tgname),
       pg_get_triggerdef(tg.oid) || CASE tgenabled WHEN 'A' THEN ', always' WHEN 'O' THEN '' WHEN 'D' THEN ', disabled'
                                    ELSE ', in replicas only' END
  FROM pg_trigger AS tg JOIN ours ON ours.oid = tgrelid WHERE NOT tgisinternal
UNION ALL
SELECT format('rule %s.%s', relname, rulename), pg_get_ruledef(rule.oid)
  FROM pg_rewrite AS rule JOIN ours ON ours.oid = ev_class WHERE rulename <> '_RETURN'
UNION ALL
SELECT format('policy %s.%s', relname, polname), 'for ' || polcmd::text
  FROM pg_policy JOIN ours ON ours.oid = polrelid
UNION ALL
SELECT format('right of %s on %s', CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END, object),
       string_agg(privilege_type || CASE WHEN is_grantable THEN ' and to grant it' ELSE '' END, ', '
                  ORDER BY privilege_type)
  FROM rights, aclexplode(acl) WHERE grantee <> owner
  GROUP BY grantee, object
UNION ALL
SELECT 'role ' || rolname,
       concat_ws(', ', CASE WHEN rolcanlogin THEN 'logs in' END, CASE WHEN rolsuper THEN 'superuser' END,
                 CASE WHEN rolcreaterole THEN 'creates roles' END, CASE WHEN rolcreatedb THEN 'creates databases' END,
                 CASE WHEN rolreplication THEN 'replicates' END, CASE WHEN rolbypassrls THEN 'bypasses policies' END,
                 (SELECT 'in ' || string_agg(roleid::regrole::text, ', ' ORDER BY roleid::regrole::text)
                  FROM pg_auth_members WHERE member = pg_roles.oid))
  FROM pg_roles
  WHERE rolname IN ('sealwork_owner', 'sealwork_engine', 'sealwork_worker', 'sealwork_intake', 'sealwork_reader')
