-- The tables and the view that the coded engines are made from, after the dimensions.
-- Every condition of the view is on a number. The rank of a row is that of its key.
CREATE TABLE filing AS SELECT row_number() OVER (ORDER BY filing, object_id, return_type, period_end, part, part_lines) - 1 id, *
	FROM (SELECT DISTINCT filing, object_id, return_type, period_end, part, part_lines FROM filed);

CREATE VIEW coded AS SELECT f.grant_key AS key, (row_number() OVER (ORDER BY f.grant_key))::INTEGER AS rank,
	u.id::INTEGER AS funder, r.id::INTEGER AS recipient,
	(f.recipient_ein <> '') AS linked, w.id::INTEGER AS raw, c.id::INTEGER AS city, s.id::SMALLINT AS state, z.id::INTEGER AS zip, n.id::INTEGER AS county,
	o.id::SMALLINT AS country, f.amount, f.tax_year::SMALLINT AS year, p.id::INTEGER AS purpose, l.id::SMALLINT AS rule, f.match_prob AS prob,
	f.source_tier = 'matched' AS matched, (f.is_daf::INT + 2 * f.is_individual::INT + 4 * f.is_related_party::INT + 8 * f.is_unidentified::INT
		+ CASE f.ein_conflict WHEN 'name' THEN 32 WHEN 'group' THEN 64 ELSE 0 END + 128 * f.outvoted::INT)::SMALLINT AS class,
	f.support::INTEGER AS support, t.id::SMALLINT AS ntee, i.id::SMALLINT AS inferred, k.id::SMALLINT AS kind, x.id::INTEGER AS filing
	FROM filed f JOIN funder u ON u.ein = f.funder_ein JOIN recipient r ON r.recip_id = f.recip_id
	JOIN filed_text w ON w.value = f.recipient_raw JOIN filed_text p ON p.value = f.purpose JOIN filed_city c ON c.value = f.city
	JOIN state s ON s.value = f.state JOIN zip z ON z.value = f.zip JOIN county n ON n.value = f.county JOIN country o ON o.value = f.country
	JOIN rule l ON l.value = f.ein_source JOIN ntee t ON t.value = r.ntee JOIN inferred i ON i.value = r.inferred JOIN kind k ON k.value = u.kind
	JOIN filing x ON x.filing = f.filing AND x.object_id = f.object_id AND x.return_type = f.return_type AND x.period_end = f.period_end
		AND x.part = f.part AND x.part_lines = f.part_lines;
