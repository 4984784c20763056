package synth

import (
	"strings"

	"grantgraph/internal/place"
)

// The two lists of the Tax Exempt Organization Search that are not the master
// file. Both are pipe-delimited text without a header, with two blank lines
// before the first row and one after the last.

// pub78 writes the organizations that deductible gifts can be made to.
func (d *listWriter) pub78() error {
	l, err := d.createZip("pub78/data-download-pub78.zip", "data-download-pub78.txt", today.AddDate(0, 0, -2))
	if err != nil {
		return err
	}
	l.WriteString("\r\n\r\n")
	var b []byte
	err = d.eachEntity(func(e *entity) {
		c := d.w.irsCodes(e)
		codes := d.w.pub78Code(e, &c)
		if codes == "" {
			return
		}
		b = append(e.ein.Append(b[:0]), '|')
		b = appendTitled(b, e)
		b = append(b, '|')
		b = bar(b, e.zip.City)
		b = bar(b, e.zip.State)
		b = bar(b, "United States")
		b = append(append(b, codes...), '\r', '\n')
		l.row(b)
		if c.group > 0 {
			d.counts["pub78_groups"]++
		}
		d.counts["pub78_rows"]++
	})
	if err != nil {
		return err
	}
	for k := range d.w.abroad() {
		b = append(d.w.foreignEIN(k).Append(b[:0]), '|')
		name, at, _ := d.w.foreigner(k, nil)
		p := &foreignPlaces[at]
		b = titled(b, name)
		b = append(b, '|')
		// The city column holds the region as well.
		b = append(append(append(b, p.city...), ' '), p.province...)
		b = append(b, "||"...)
		country, _ := place.Country(p.country)
		b = append(b, strings.ToUpper(strings.ReplaceAll(country, ",", ""))...)
		b = append(b, "|FORGN"...)
		if k%9 == 8 {
			b = append(b, ",PF"...)
		}
		b = append(b, '\r', '\n')
		l.row(b)
		d.counts["pub78_rows"]++
		d.counts["pub78_foreign"]++
	}
	l.WriteString("\r\n")
	return d.finish(l)
}

// appendTitled writes a name as Publication 78 has it: title case without
// punctuation but for the period after the legal form.
func appendTitled(dst []byte, e *entity) []byte {
	start := len(dst)
	dst = appendLegal(dst, e)
	dst = titled(dst[:start], dst[start:])
	switch e.suffix {
	case "Inc", "Ltd", "Corp":
		dst = append(dst, '.')
	}
	return dst
}

// titled writes a name with a capital at the start of every word and nowhere
// else. dst may be the room before name in the same array.
func titled(dst, name []byte) []byte {
	word := true
	for _, c := range name {
		lc := lower(c)
		if word && lc >= 'a' && lc <= 'z' {
			dst = append(dst, lc-32)
		} else {
			dst = append(dst, lc)
		}
		word = c == ' ' || c == '-'
	}
	return dst
}

// revocation writes the organizations that lost their exemption by not filing
// for three years, those that have it back included.
func (d *listWriter) revocation() error {
	l, err := d.createZip("revocation/data-download-revocation.zip", "data-download-revocation.txt", today.AddDate(0, 0, -2))
	if err != nil {
		return err
	}
	l.WriteString("\r\n\r\n")
	var b []byte
	err = d.eachEntityEver(func(e *entity) {
		f := d.w.exemption(e)
		rows, n := d.w.revocations(e, f)
		for i := range n {
			b = d.revoked(b[:0], e, &rows[i], i)
			l.row(b)
			d.counts["revocation_rows"]++
			if !rows[i].restored.IsZero() {
				d.counts["revocation_dated_back"]++
			}
		}
		switch {
		case n == 0:
			return
		case f == reruled:
			d.counts["revoked_new_ruling"]++
		case f == reinstated:
			d.counts["revoked_reinstated"]++
		case f == lapsedAnew:
			d.counts["revoked_twice"]++
			fallthrough
		default:
			d.counts["revoked_standing"]++
		}
		d.counts["revocation_eins"]++
	})
	if err != nil {
		return err
	}
	l.WriteString("\r\n")
	return d.finish(l)
}

// revoked is row k of an organization.
func (d *listWriter) revoked(b []byte, e *entity, v *revocationRow, k int) []byte {
	r := rng{sub(e.key, '~', k)}
	b = append(e.ein.Append(b), '|')
	start := len(b)
	if len(e.old) > 0 && v.posted.Year() < e.since { // under the name it had then
		b = appendPlain(b, e.old)
		upper(b[start:])
	} else {
		b = appendMaster(b, e)
	}
	if v.posted.Year() < 2014 && len(b)-start > 33 { // older rows stop after the first line
		b = b[:start+33]
		for b[len(b)-1] == ' ' {
			b = b[:len(b)-1]
		}
	}
	if v.posted.Year() > 2015 && r.odds(8000) {
		b = append(b, ' ')
	}
	b = append(b, '|')
	if len(e.alias) > 0 && r.odds(5000) {
		b = append(b, e.alias...)
	}
	b = append(b, '|')
	start = len(b)
	b = append(b, e.street...)
	b = append(b, '|')
	b = append(b, e.zip.City...)
	upper(b[start:])
	b = append(b, '|')
	b = bar(b, e.zip.State)
	b = append(b, e.zip.Code...)
	b = append(b, '-')
	b = appendPadded(b, uint64(e.plus4), 4)
	b = append(b, "|US|"...)
	if r.odds(400) {
		b = append(b, "00|"...)
	} else {
		b = bar(b, e.section)
	}
	start = len(b)
	const layout = "02-Jan-2006"
	b = append(appendDay(b, v.effective, layout), '|')
	b = append(appendDay(b, v.posted, layout), '|')
	b = appendDay(b, v.restored, layout)
	upper(b[start:])
	return append(b, '\r', '\n')
}
