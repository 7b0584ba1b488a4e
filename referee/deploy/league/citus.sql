-- How the tables of a league lie on the workers of Citus, a PostgreSQL that spreads tables over several machines: what belongs to
-- a match lies with its match, what all matches share lies on every machine. Run it once on the coordinator, after
-- `CREATE EXTENSION citus` and after the first referee has made its tables, while no referee serves:
--
--     psql --single-transaction --set ON_ERROR_STOP=1 --file citus.sql league
--
-- THIS WAS NEVER RUN ON CITUS. A test runs it against the tables that a referee makes, where functions of the same names check
-- what Citus is documented to demand (the table is there and no part of another, the column is in its primary key and in every
-- unique index, tables that lie together have columns of one type), and that no table is forgotten. Whether Citus plans every
-- statement of the referee is not known: an append writes several matches in one statement, with locks that are skipped
-- (`referee/store/src/postgres/append.rs`), and Citus is documented to take such statements for one shard at a time only. Try it
-- with `referee store check` and a match or two before anybody plays on it.

-- A match. Its tables are cut into eight parts by match already; their parts go with them.
SELECT create_distributed_table('referee.matches', 'id', colocate_with => 'none');

-- What belongs to a match. What belongs to none of them (tokens of people) stands under a match of zeros, on one machine.
SELECT create_distributed_table('referee.entries', 'match', colocate_with => 'referee.matches');
SELECT create_distributed_table('referee.requests', 'match', colocate_with => 'referee.matches');
SELECT create_distributed_table('referee.tokens', 'match', colocate_with => 'referee.matches');
SELECT create_distributed_table('referee.names', 'match', colocate_with => 'referee.matches');
SELECT create_distributed_table('referee.snapshots', 'match', colocate_with => 'referee.matches');
SELECT create_distributed_table('referee.notices', 'match', colocate_with => 'referee.matches');
SELECT create_distributed_table('referee.claims', 'match', colocate_with => 'referee.matches');

-- What all share: read often, written seldom.
SELECT create_reference_table('referee.meta');
SELECT create_reference_table('referee.contents');
SELECT create_reference_table('referee.revisions');
SELECT create_reference_table('referee.channels');
SELECT create_reference_table('referee.owners');
SELECT create_reference_table('referee.learned');
SELECT create_reference_table('referee.outages');
