-- Functions with the names and arguments of Citus's, which check what it is documented to demand and remember what was asked.
CREATE TABLE public.asked (
    relation   regclass PRIMARY KEY,
    by_column  text,
    lies_with  text
);

CREATE FUNCTION public.check_table(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT relispartition FROM pg_class WHERE oid = relation) THEN
        RAISE EXCEPTION '% is a part of another table', relation;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_index WHERE indrelid = relation AND indisprimary) THEN
        RAISE EXCEPTION '% has no primary key', relation;
    END IF;
END $$;

CREATE FUNCTION public.create_distributed_table(
    table_name          regclass,
    distribution_column text,
    distribution_type   text DEFAULT 'hash',
    colocate_with       text DEFAULT 'default',
    shard_count         integer DEFAULT NULL
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place smallint;
    kind  oid;
BEGIN
    PERFORM check_table(table_name);
    SELECT attnum, atttypid INTO place, kind FROM pg_attribute
    WHERE attrelid = table_name AND attname = distribution_column AND attnum > 0 AND NOT attisdropped;
    IF place IS NULL THEN
        RAISE EXCEPTION '% has no column %', table_name, distribution_column;
    END IF;
    IF EXISTS (SELECT FROM pg_index WHERE indrelid = table_name AND indisunique AND NOT place = ANY (indkey)) THEN
        RAISE EXCEPTION 'a unique index of % is without the column %', table_name, distribution_column;
    END IF;
    IF colocate_with NOT IN ('default', 'none') AND NOT EXISTS (
        SELECT FROM asked a
        JOIN pg_attribute p ON p.attrelid = a.relation AND p.attname = a.by_column
        WHERE a.relation = colocate_with::regclass AND p.atttypid = kind
    ) THEN
        RAISE EXCEPTION '% cannot lie with %', table_name, colocate_with;
    END IF;
    INSERT INTO asked VALUES (table_name, distribution_column, colocate_with);
END $$;

CREATE FUNCTION public.create_reference_table(table_name regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_table(table_name);
    INSERT INTO asked VALUES (table_name, NULL, NULL);
END $$;
