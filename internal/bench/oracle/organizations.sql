-- The organizations with what their latest filings and the compliance lists say. A
-- revocation stands unless a reinstatement of the same day or later is on the list.
CREATE TABLE organization AS SELECT o.ein, o.name, translate(o.name, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') sort_name,
	o.city, coalesce(c.city_key, '') city_key, upper(o.state) state, o.zip5, o.county,
	CASE WHEN regexp_full_match(trim(o.ntee_cd), '[A-Za-z][A-Za-z0-9]{2,3}') THEN upper(trim(o.ntee_cd)) END ntee,
	o.subsection, o.foundation, ltrim(o.group_number, '0') group_number,
	CASE WHEN regexp_full_match(o.ruling, '(19|[2-9][0-9])[0-9]{2}..') THEN left(o.ruling, 4)::INTEGER END ruling_year,
	k.funder_kind, f.return_type, f.tax_year, coalesce(f.accepts_applications, 'not_stated') accepts, f.total_revenue revenue, f.total_assets assets, f.total_expenses expenses, f.grants_paid,
	{in_bmf} in_bmf, {pub78} pub78, {revoked} revoked
FROM {organizations} o LEFT JOIN {filings} f USING (ein)
	LEFT JOIN {funders} k ON k.funder_ein = o.ein
	LEFT JOIN (SELECT city, city_key(city) city_key FROM (
		SELECT DISTINCT city FROM {organizations} WHERE city IS NOT NULL)) c ON c.city = o.city
ORDER BY hash(o.ein)
