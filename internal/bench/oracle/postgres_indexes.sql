-- An index for every kind of condition, made when the tables are full.
CREATE INDEX ON filed_text USING gin (lexemes) WITH (fastupdate = off);
CREATE INDEX ON recipient USING gin (lexemes) WITH (fastupdate = off);
CREATE INDEX ON coded (funder, recipient) INCLUDE (amount, year);
CREATE INDEX ON coded (recipient, funder) INCLUDE (amount, year);
CREATE INDEX ON coded (funder, amount DESC, rank);
CREATE INDEX ON coded (recipient, amount DESC, rank);
CREATE INDEX ON coded (amount DESC, rank);
CREATE INDEX ON coded (state, year, amount DESC, rank);
CREATE INDEX ON coded (ntee, year, amount DESC, rank);
CREATE INDEX ON coded (purpose);
CREATE INDEX ON coded (raw);
CREATE INDEX ON coded (zip);
CREATE INDEX ON coded (county);
CREATE INDEX ON coded (city, state);
CREATE INDEX ON coded (country);
CREATE INDEX ON funder (state);
VACUUM ANALYZE;
