-- The grants as the snapshot has them: texts, in no order, called as the coded tables call them.
CREATE TABLE rule (id INTEGER, value VARCHAR);

CREATE TABLE grants AS SELECT f.grant_key AS key, f.funder_ein AS funder, f.recip_id AS recipient, f.recipient_ein <> '' AS linked,
	f.recipient_raw AS raw, w.words raw_words, f.city AS city_text, c.city_key AS city, f.state, f.zip, f.county, f.country, f.amount, f.tax_year AS year,
	f.purpose, p.words purpose_words, f.ein_source AS rule, f.match_prob AS prob, f.source_tier = 'matched' AS matched,
	(f.is_daf::INT + 2 * f.is_individual::INT + 4 * f.is_related_party::INT + 8 * f.is_unidentified::INT
		+ CASE f.ein_conflict WHEN 'name' THEN 32 WHEN 'group' THEN 64 ELSE 0 END + 128 * f.outvoted::INT)::SMALLINT AS class,
	f.support, f.filing, f.object_id, f.return_type, f.period_end, f.part, f.part_lines
	FROM filed f JOIN filed_city c ON c.value = f.city JOIN filed_text p ON p.value = f.purpose
	JOIN filed_text w ON w.value = f.recipient_raw ORDER BY hash(f.grant_key);
