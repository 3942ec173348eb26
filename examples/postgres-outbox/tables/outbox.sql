-- The outbox: what rows that are gone had named. Needs PostgreSQL 14 or newer.
-- Installed once per database; CALL strandline.watch(...) then adds a table.
--
-- A release is a row here, written by a trigger in the very transaction that
-- took the name away: rolled back together, committed together. The drainer
-- takes it from there. Nothing here deletes an object.

CREATE SCHEMA strandline;

CREATE TABLE strandline.outbox (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- What the release is called outside. Not the id: a database that is
  -- restored counts from an older number on, and would use ids again.
  release     uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
  -- pending: nobody has looked yet · kept: a row still names the object ·
  -- released: decided, to be sent · sent: the queue has it · parked: a person
  -- has to look, last_error says why.
  state       text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'kept', 'released', 'sent', 'parked')),
  -- All may be null: what is wrong with a row must never fail the statement
  -- that deletes it. The drainer parks what it cannot send.
  entity      text,
  tenant      text,
  bucket      text,
  key         text,
  version_id  text,
  url         text,
  object      text NOT NULL,
  -- Keys are written again under the same name; see watch.
  reused      boolean NOT NULL,
  at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Every transaction below it was running when the release was first seen.
  horizon     xid8,
  due_at      timestamptz NOT NULL DEFAULT now(),
  released_at timestamptz,
  sent_at     timestamptz,
  attempts    integer NOT NULL DEFAULT 0,
  last_error  text
);
CREATE INDEX outbox_work ON strandline.outbox (state, due_at);
-- By hash: URLs can be longer than a B-tree takes.
CREATE INDEX outbox_object ON strandline.outbox USING hash (object);

-- The transaction id up to which releases have been seen. A sequence, since what
-- it says holds for every transaction at once, whatever its snapshot shows.
CREATE SEQUENCE strandline.seen AS bigint;

-- How two rows are known to name the same object: it has to be spelled in one
-- way in one database. Null where a row names none.
CREATE FUNCTION strandline.object(bucket text, key text, url text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(nullif(url, ''), 's3://' || coalesce(bucket, '') || '/' || nullif(key, '')) $$;

-- What is watched. The view names is made of it, and says what is named now.
CREATE TABLE strandline.watched (
  watched regclass NOT NULL,
  what    text NOT NULL,
  columns text NOT NULL,
  PRIMARY KEY (watched, what)
);
CREATE VIEW strandline.names AS SELECT NULL::text AS object, NULL::text AS version_id WHERE false;

-- After a statement: what its old rows named and its new ones do not is
-- released. Cascades and SET NULL count as part of it. EXCEPT ALL and not
-- EXCEPT: a row that one statement changes twice, by two foreign keys, is among
-- the old and the new rows with what it was in between. Before a TRUNCATE,
-- which has no old rows: all that the table names.
CREATE FUNCTION strandline.on_gone() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  named text := format('SELECT %s FROM gone', tg_argv[0]);
BEGIN
  IF tg_op = 'UPDATE' THEN
    named := named || format(' EXCEPT ALL SELECT %s FROM come', tg_argv[0]);
  ELSIF tg_op = 'TRUNCATE' THEN
    named := format('SELECT %s FROM %I.%I', tg_argv[0], tg_table_schema, tg_table_name);
  END IF;
  EXECUTE format(
    'INSERT INTO strandline.outbox (entity, tenant, bucket, key, version_id, url, object, reused)
     SELECT entity, tenant, bucket, key, nullif(version_id, ''''), nullif(url, ''''),
            strandline.object(bucket, key, url), %L::boolean
     FROM (%s) AS g (entity, tenant, bucket, key, version_id, url)
     WHERE strandline.object(bucket, key, url) IS NOT NULL', tg_argv[1], named);
  RETURN NULL;
END $$;

-- After a statement that names objects: a release of one that is not decided
-- yet waits for this transaction (the drainer passes over what is locked), and
-- what was released already cannot be named again: it is about to be deleted.
-- A decision that is just being made is waited for; it is one short
-- transaction, which sends nothing. A transaction of REPEATABLE READ that began
-- before the drainer saw releases, and writes only now, may know nothing of them
-- and is not waited for: it has to be tried again.
CREATE FUNCTION strandline.on_named() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  named text := format('SELECT %s FROM come', tg_argv[0]);
  found record;
  seen bigint;
BEGIN
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    SELECT last_value INTO seen FROM strandline.seen;
    IF pg_snapshot_xmax(pg_current_snapshot())::text::bigint <= seen AND pg_current_xact_id()::text::bigint >= seen THEN
      RAISE EXCEPTION 'releases were seen that this transaction is too old to know of'
        USING ERRCODE = 'serialization_failure', HINT = 'Try the transaction again.';
    END IF;
  END IF;
  IF tg_op = 'UPDATE' THEN
    named := named || format(' EXCEPT ALL SELECT %s FROM gone', tg_argv[0]);
  END IF;
  FOR found IN EXECUTE format(
    'SELECT n.entity, o.released_at
     FROM (SELECT DISTINCT entity, nullif(version_id, '''') AS version_id, strandline.object(bucket, key, url) AS object
           FROM (%s) AS c (entity, tenant, bucket, key, version_id, url)) AS n
     JOIN strandline.outbox AS o
       ON o.object = n.object AND (o.version_id IS NULL OR n.version_id IS NULL OR o.version_id = n.version_id)
     WHERE o.released_at IS NULL OR NOT %L::boolean
     ORDER BY o.id FOR SHARE OF o', named, tg_argv[1])
  LOOP
    IF found.released_at IS NOT NULL THEN
      RAISE EXCEPTION 'the object that % names was released at %', found.entity, found.released_at
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Upload it again, under a key of its own.';
    END IF;
  END LOOP;
  RETURN NULL;
END $$;

-- watch has the rows of a table release what they name. Everything after what
-- is an SQL expression over one row; tables whose rows name two objects are
-- watched twice. Once a row is gone its parents may be gone too, so the tenant
-- has to be in the row itself.
--
--   CALL strandline.watch('photos', 'photo', entity => $$'photo/' || id$$, tenant => 'tenant',
--     bucket => 'bucket', key => 'object_key', version_id => 'version_id');
--
-- reused says that other objects are written under the same keys, and the rows
-- do not say which version they mean. Naming a key that was released is allowed
-- then, and whoever brings a deleted row back has only the drainer's hold-back
-- to do it in.
CREATE PROCEDURE strandline.watch(
  watched regclass, what text, entity text, tenant text,
  bucket text DEFAULT 'NULL', key text DEFAULT 'NULL', version_id text DEFAULT 'NULL', url text DEFAULT 'NULL',
  reused boolean DEFAULT false)
LANGUAGE plpgsql AS $$
DECLARE
  columns text := format('(%s)::text, (%s)::text, (%s)::text, (%s)::text, (%s)::text, (%s)::text',
                         entity, tenant, bucket, key, version_id, url);
BEGIN
  INSERT INTO strandline.watched VALUES (watched, what, columns);
  EXECUTE format('CREATE INDEX ON %s USING hash (strandline.object((%s)::text, (%s)::text, (%s)::text))',
                 watched, bucket, key, url);
  EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %s REFERENCING OLD TABLE AS gone
                  FOR EACH STATEMENT EXECUTE FUNCTION strandline.on_gone(%L, %L)',
                 'strandline_' || what || '_delete', watched, columns, reused);
  EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %s REFERENCING OLD TABLE AS gone NEW TABLE AS come
                  FOR EACH STATEMENT EXECUTE FUNCTION strandline.on_gone(%L, %L)',
                 'strandline_' || what || '_update', watched, columns, reused);
  EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %s
                  FOR EACH STATEMENT EXECUTE FUNCTION strandline.on_gone(%L, %L)',
                 'strandline_' || what || '_truncate', watched, columns, reused);
  EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %s REFERENCING NEW TABLE AS come
                  FOR EACH STATEMENT EXECUTE FUNCTION strandline.on_named(%L, %L)',
                 'strandline_' || what || '_name', watched, columns, reused);
  EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %s REFERENCING OLD TABLE AS gone NEW TABLE AS come
                  FOR EACH STATEMENT EXECUTE FUNCTION strandline.on_named(%L, %L)',
                 'strandline_' || what || '_rename', watched, columns, reused);
  EXECUTE (SELECT 'CREATE OR REPLACE VIEW strandline.names AS ' || string_agg(format(
             'SELECT strandline.object(bucket, key, url) AS object, nullif(version_id, '''') AS version_id
              FROM (SELECT %s FROM %s) AS w (entity, tenant, bucket, key, version_id, url)', w.columns, w.watched),
             ' UNION ALL ') FROM strandline.watched AS w);
END $$;

-- What waits, by state: how much, since when, and for what the oldest of each.
CREATE VIEW strandline.status AS
SELECT state, count(*) AS releases, min(at) AS oldest, max(attempts) AS attempts,
       (array_agg(last_error ORDER BY id) FILTER (WHERE last_error IS NOT NULL))[1] AS last_error
FROM strandline.outbox GROUP BY state;

-- retry lets a parked release go on, once what was wrong with it is mended.
CREATE FUNCTION strandline.retry(parked bigint) RETURNS text LANGUAGE sql AS $$
  UPDATE strandline.outbox SET attempts = 0, last_error = NULL, due_at = now(),
         state = CASE WHEN released_at IS NULL THEN 'pending' ELSE 'released' END
  WHERE id = parked AND state = 'parked' RETURNING state $$;
