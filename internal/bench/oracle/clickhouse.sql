-- ClickHouse's tables, as its documentation advises for these questions: numbers as small as they are, codecs, the grants sorted
-- by funder, projections sorted by recipient, by place and by subject, projections of sums, an inverted index of words, the
-- smallest and largest amount of each granule, and a dictionary in memory for the names of each table that grants refer to.
-- {folder} has the tables as Parquet files.
SET max_execution_time = 120;
SET schema_inference_make_columns_nullable = 0;
-- The graph is asked with its cache off. This one remembers which granules had no row for a condition.
SET use_query_condition_cache = 0;
SET enable_materialized_cte = 1;
-- A name in an expression is a column before it is another expression's alias, as in the other engines.
SET prefer_column_name_to_alias = 1;

CREATE TABLE coded (
	key String CODEC(ZSTD(1)), rank Int32, funder UInt32 CODEC(Delta, LZ4), recipient UInt32 CODEC(Delta, LZ4), linked Bool, raw UInt32, city UInt32,
	state UInt16, zip UInt32, county UInt32, country UInt16, amount Int64, year Int16, purpose UInt32, rule Int16, prob Float64, matched Bool, class Int16,
	support Int32, ntee UInt16, inferred UInt16, kind UInt16, filing UInt32, words String CODEC(ZSTD(1)),
	INDEX words words TYPE text(tokenizer = 'splitByNonAlpha'),
	INDEX amount amount TYPE minmax GRANULARITY 1,
	PROJECTION by_recipient (SELECT * EXCEPT words ORDER BY recipient, funder, year, amount),
	PROJECTION by_place (SELECT * EXCEPT words ORDER BY state, year, amount),
	PROJECTION by_subject (SELECT * EXCEPT words ORDER BY ntee, year, amount),
	PROJECTION funders (SELECT funder, sum(amount), count(), count(DISTINCT recipient), min(year), max(year) GROUP BY funder),
	PROJECTION recipients (SELECT recipient, sum(amount), count(), count(DISTINCT funder), min(year), max(year) GROUP BY recipient),
	PROJECTION years (SELECT year, sum(amount), count(), count(DISTINCT funder), count(DISTINCT recipient) GROUP BY year),
	PROJECTION sums (SELECT year, state, county, kind, ntee, inferred, sum(amount), count() GROUP BY year, state, county, kind, ntee, inferred)
) ENGINE = MergeTree ORDER BY (funder, recipient, year, amount);

INSERT INTO coded SELECT * FROM file('{folder}/coded.parquet') SETTINGS max_execution_time = 0;
OPTIMIZE TABLE coded FINAL SETTINGS max_execution_time = 0;

CREATE TABLE state ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/state.parquet');
CREATE TABLE zip ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/zip.parquet');
CREATE TABLE county ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/county.parquet');
CREATE TABLE country ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/country.parquet');
CREATE TABLE ntee ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/ntee.parquet');
CREATE TABLE inferred ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/inferred.parquet');
CREATE TABLE kind ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/kind.parquet');
CREATE TABLE filed_city ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/filed_city.parquet');
CREATE TABLE filing ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/filing.parquet');
CREATE TABLE funder ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/funder.parquet');
CREATE TABLE filed_text ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/filed_text.parquet');
CREATE TABLE recipient ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/recipient.parquet');
CREATE TABLE rule ENGINE = MergeTree ORDER BY id AS SELECT * FROM file('{folder}/rule.parquet');
ALTER TABLE recipient ADD INDEX ein ein TYPE bloom_filter(0.001) GRANULARITY 1;
ALTER TABLE recipient MATERIALIZE INDEX ein;

CREATE DICTIONARY state_by_id (id UInt64, value String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'state')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
CREATE DICTIONARY zip_by_id (id UInt64, value String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'zip')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
CREATE DICTIONARY county_by_id (id UInt64, value String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'county')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
CREATE DICTIONARY country_by_id (id UInt64, value String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'country')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
CREATE DICTIONARY ntee_by_id (id UInt64, value String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'ntee')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
CREATE DICTIONARY inferred_by_id (id UInt64, value String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'inferred')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
CREATE DICTIONARY kind_by_id (id UInt64, value String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'kind')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
CREATE DICTIONARY filed_city_by_id (id UInt64, value String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'filed_city')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
CREATE DICTIONARY filing_by_id (id UInt64, filing String, object_id String, return_type String, period_end String, part String, part_lines Int32) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'filing')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
CREATE DICTIONARY funder_by_id (id UInt64, ein String, name String, city String, state String, kind String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'funder')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
CREATE DICTIONARY filed_text_by_id (id UInt64, value String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'filed_text')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
CREATE DICTIONARY recipient_by_id (id UInt64, recip_id String, ein String, name String, city String, state String, zip String, country String, classes Int32, ntee String, inferred String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'recipient')) LIFETIME(0)
	LAYOUT(FLAT(MAX_ARRAY_SIZE 100000000));
