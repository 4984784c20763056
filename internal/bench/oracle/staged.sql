-- The tables of a snapshot as conditions compare them: the view filed over the grants,
-- funder and recipient with one row each, filed_text and filed_city with the words of
-- texts and the keys of cities. Missing texts are empty.
CREATE VIEW filed AS SELECT grant_key, funder_ein, recip_id, coalesce(recipient_ein, '') recipient_ein,
	upper(recipient_raw) capitals, coalesce(recipient_filed, recipient_raw) recipient_raw,
	coalesce(recipient_city, '') city, coalesce(recipient_state, '') state, coalesce(recipient_zip, '') zip,
	coalesce(recipient_county, '') county, coalesce(recipient_country, '') country, amount, tax_year,
	coalesce(purpose, '') purpose, coalesce(ein_source, '') ein_source, coalesce(match_prob, 0) match_prob, source_tier,
	is_individual, is_daf, is_related_party, is_unidentified, support, filing, coalesce(object_id, '') object_id, return_type, period_end,
	part, coalesce(part_lines, 0) part_lines, coalesce(ein_conflict, '') ein_conflict,
	coalesce(recipient_state_filed, '') <> '' outvoted FROM {grants};

CREATE TABLE funder AS SELECT row_number() OVER (ORDER BY funder_ein) id, funder_ein ein, name, coalesce(city, '') city,
	coalesce(state, '') state, coalesce(zip5, '') zip, coalesce(county, '') county, city_key(coalesce(city, '')) city_key,
	funder_kind kind, coalesce(accepts_applications, 'not_stated') accepts FROM {funders};

CREATE TABLE filed_text AS SELECT row_number() OVER (ORDER BY value) id, value, words(value) words FROM
	(SELECT DISTINCT recipient_raw AS value FROM filed UNION SELECT DISTINCT purpose FROM filed);

CREATE TABLE filed_city AS SELECT row_number() OVER (ORDER BY value) id, value, city_key(value) city_key FROM
	(SELECT DISTINCT city AS value FROM filed);

CREATE TABLE zip_point AS SELECT zip, split_part(spot, ' ', 1)::DOUBLE lat, split_part(spot, ' ', 2)::DOUBLE lon FROM
	(SELECT zip, zip_at(zip) AS spot FROM (SELECT DISTINCT zip FROM filed UNION SELECT DISTINCT zip FROM funder)) WHERE spot <> '';

-- A recipient in the universe has the name and place that the universe has. Any other
-- recipient has those that most of its lines have, or the first in order if several are
-- as frequent.
CREATE TABLE recipient AS
WITH line AS (
	SELECT recip_id, any_value(recipient_ein) ein, (2 * bool_or(is_individual)::INT + 8 * bool_or(is_unidentified)::INT) classes FROM filed GROUP BY recip_id
), called AS (
	SELECT recip_id, capitals AS name FROM (SELECT recip_id, capitals, count(*) n FROM filed GROUP BY ALL)
	QUALIFY row_number() OVER (PARTITION BY recip_id ORDER BY n DESC, capitals) = 1
), placed AS (
	SELECT recip_id, city, state, zip, country FROM (SELECT recip_id, city, state, zip, country, count(*) n FROM filed GROUP BY ALL)
	QUALIFY row_number() OVER (PARTITION BY recip_id ORDER BY n DESC, city, state, zip, country) = 1
), named AS (
	SELECT l.recip_id, l.ein, l.classes, coalesce(o.name, c.name) AS name,
		CASE WHEN o.ein IS NULL THEN p.city ELSE coalesce(o.city, '') END city,
		CASE WHEN o.ein IS NULL THEN p.state ELSE coalesce(o.state, '') END state,
		CASE WHEN o.ein IS NULL THEN p.zip ELSE coalesce(o.zip5, '') END zip,
		CASE WHEN o.ein IS NULL THEN p.country ELSE '' END country,
		CASE WHEN regexp_full_match(trim(o.ntee_cd), '[A-Za-z][A-Za-z0-9]{2,3}') THEN upper(trim(o.ntee_cd)) ELSE '' END ntee,
		i.letter
	FROM line l JOIN called c USING (recip_id) JOIN placed p USING (recip_id)
	LEFT JOIN {organizations} o ON o.ein = nullif(l.ein, '') LEFT JOIN {causes} i ON i.ein = nullif(l.ein, '')
)
SELECT row_number() OVER (ORDER BY recip_id) id, * EXCLUDE (letter), CASE WHEN ntee = '' THEN coalesce(letter, '') ELSE '' END inferred,
	words(name) AS words FROM named;
