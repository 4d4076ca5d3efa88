-- Who acts: a projection of the streams `actors/registry`, public keys only.

SET ROLE sealwork_owner;

CREATE TABLE sealwork.actors (
  tenant_id         text,
  key               text,                        -- the actor is this key; labels are for people
  class             text   NOT NULL,
  label             text,
  roles             text[] NOT NULL DEFAULT '{}',
  permissions       text[] NOT NULL DEFAULT '{}',
  status            text   NOT NULL DEFAULT 'valid' CHECK (status IN ('valid', 'retired', 'revoked')),
  admitted_at_seq   bigint NOT NULL,             -- validity is by position in the registry, never by a time
  ended_at_seq      bigint,
  compromised_since timestamptz,
  PRIMARY KEY (tenant_id, key),
  CHECK (key ~ '^ed25519:[0-9a-f]{64}$'),
  CHECK ((ended_at_seq IS NULL) = (status = 'valid'))
);

-- Every name once, in one order: projections are compared with the chain.
CREATE FUNCTION sealwork.name_set(names text[]) RETURNS text[]
  LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(DISTINCT name COLLATE "C" ORDER BY name COLLATE "C"), '{}')
  FROM unnest(names) AS name
  WHERE name IS NOT NULL
$$;

-- Applies commands of registries that were appended just now, at most one per tenant. Called by
-- append_events, which holds the tenant's lock and has checked nothing about rights: the engine decided.
CREATE FUNCTION sealwork.project_actors(tenants text[], seqs bigint[], intents jsonb[]) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  command record;
BEGIN
  FOR command IN
    SELECT item.tenant, item.seq, item.signed->>'action' AS action, item.signed->'input' AS input,
           item.signed->'input'->>'key' AS key
    FROM unnest(tenants, seqs, intents) AS item(tenant, seq, signed)
  LOOP
    CASE command.action
      WHEN 'key.admit' THEN
        INSERT INTO sealwork.actors (tenant_id, key, class, label, roles, admitted_at_seq)
        VALUES (
          command.tenant, command.key, command.input->>'class', command.input->>'label',
          CASE command.input->>'class'
            WHEN 'AUTOMATION' THEN ARRAY['AUTOMATION']
            ELSE sealwork.name_set(ARRAY(SELECT jsonb_array_elements_text(command.input->'roles')))
          END,
          command.seq);
      WHEN 'key.retire' THEN
        UPDATE sealwork.actors
        SET status = 'retired', ended_at_seq = command.seq
        WHERE tenant_id = command.tenant AND key = command.key AND status = 'valid';
      WHEN 'key.revoke' THEN   -- a retired key can still turn out to be stolen; it ended when it was retired
        UPDATE sealwork.actors
        SET status = 'revoked', ended_at_seq = coalesce(ended_at_seq, command.seq),
            compromised_since = (command.input->>'compromised_since')::timestamptz
        WHERE tenant_id = command.tenant AND key = command.key AND status <> 'revoked';
      WHEN 'role.grant' THEN
        UPDATE sealwork.actors SET roles = sealwork.name_set(roles || (command.input->>'role'))
        WHERE tenant_id = command.tenant AND key = command.key;
      WHEN 'role.revoke' THEN
        UPDATE sealwork.actors SET roles = array_remove(roles, command.input->>'role')
        WHERE tenant_id = command.tenant AND key = command.key;
      WHEN 'permission.grant' THEN
        UPDATE sealwork.actors SET permissions = sealwork.name_set(permissions || (command.input->>'permission'))
        WHERE tenant_id = command.tenant AND key = command.key;
      WHEN 'permission.revoke' THEN
        UPDATE sealwork.actors SET permissions = array_remove(permissions, command.input->>'permission')
        WHERE tenant_id = command.tenant AND key = command.key;
      ELSE
        NULL;   -- a command of a later version changes no key that this table knows
    END CASE;
  END LOOP;
END $$;

RESET ROLE;
