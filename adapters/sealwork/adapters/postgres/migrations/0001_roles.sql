-- Who may do what: the roles, and the one schema that they share.
-- None of the roles can log in. An operator grants them to the login roles of a deployment.

DO $$
DECLARE
  role_name  text;
  may_become text := CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END;
BEGIN
  IF getdatabaseencoding() <> 'UTF8' THEN
    RAISE EXCEPTION 'the database must be encoded in UTF8, not %: signed bytes are UTF-8', getdatabaseencoding();
  END IF;

  -- Roles belong to the whole server: another database may be creating them at this moment.
  FOREACH role_name IN ARRAY ARRAY[
    'sealwork_owner', 'sealwork_engine', 'sealwork_worker', 'sealwork_intake', 'sealwork_reader'
  ] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END LOOP;

  -- A superuser may become the owner anyway. Another creator must say so: since PostgreSQL 16
  -- creating a role gives the right to grant it, but not the right to become it.
  IF NOT pg_has_role(current_user, 'sealwork_owner', may_become) THEN
    BEGIN
      GRANT sealwork_owner TO CURRENT_USER;
    EXCEPTION
      WHEN unique_violation THEN NULL;
      WHEN insufficient_privilege THEN
        RAISE EXCEPTION '% cannot become sealwork_owner, which another user of this server has created', current_user
          USING ERRCODE = 'insufficient_privilege',
                HINT = format('Let that user or a superuser run: GRANT sealwork_owner TO %I', current_user);
    END;
  END IF;
END $$;

-- The bookkeeping of the migrations may have made the schema already.
CREATE SCHEMA IF NOT EXISTS sealwork;
ALTER SCHEMA sealwork OWNER TO sealwork_owner;

SET ROLE sealwork_owner;

REVOKE ALL ON SCHEMA sealwork FROM PUBLIC;
-- Not "IN SCHEMA": what PUBLIC has by default can only be taken away for all schemas of the owner.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

RESET ROLE;
