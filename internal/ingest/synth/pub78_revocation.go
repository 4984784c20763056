package synth

import (
	"bytes"
	"time"
)

// The two lists of the Tax Exempt Organization Search that are not the master file. Both are pipe-delimited
// text without a header, with two blank lines before the first row and one after the last.

func (d *listWriter) searchList(name string, fill func(l *listFile) error) error {
	return d.writeZip(name+"/data-download-"+name+".zip", "data-download-"+name+".txt", today.AddDate(0, 0, -2), "\r\n\r\n", func(l *listFile) error {
		err := fill(l)
		l.WriteString("\r\n")
		return err
	})
}

func (d *listWriter) pub78() error {
	return d.searchList("pub78", func(l *listFile) error {
		row := newRecord("pub78", "|", "\r\n", false)
		err := d.eachEntity(func(e *entity) {
			c := d.w.irsCodes(e)
			codes := d.w.pub78Code(e, &c)
			if codes == "" {
				return
			}
			row.add(e.ein, titledName(e), e.zip.City, e.zip.State, "United States", codes)
			l.row(row.finish())
			if c.group > 0 {
				d.counts["pub78_groups"]++
			}
			d.counts["pub78_rows"]++
		})
		for k := range d.w.abroad() {
			name, p, _ := d.w.foreigner(k)
			codes := "FORGN"
			if k%9 == 8 {
				codes = "FORGN,PF"
			}
			// The city column holds the region as well.
			row.add(d.w.foreignEIN(k), appendTitled(nil, name), parts{p.city, ' ', p.province}, nil, capsText(p.countryName()), codes)
			l.row(row.finish())
			d.counts["pub78_rows"]++
			d.counts["pub78_foreign"]++
		}
		return err
	})
}

// titledName is a name as Publication 78 has it: title case without punctuation but for the period after the legal form.
func titledName(e *entity) []byte {
	name := appendLegal(nil, e)
	name = appendTitled(name[:0], name)
	switch e.suffix {
	case "Inc", "Ltd", "Corp":
		name = append(name, '.')
	}
	return name
}

// revocation writes the organizations that lost their exemption by not filing
// for three years, those that have it back included.
func (d *listWriter) revocation() error {
	return d.searchList("revocation", func(l *listFile) error {
		row := newRecord("revocation", "|", "\r\n", false)
		return d.eachEntityEver(func(e *entity) {
			f := d.w.exemption(e)
			rows, n := d.w.revocations(e, f)
			for i := range n {
				d.revoked(row, e, &rows[i], i)
				l.row(row.finish())
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
	})
}

func (d *listWriter) revoked(row *record, e *entity, v *revocationRow, k int) {
	r := rng{sub(e.key, '~', k)}
	name := d.tmp[:0]
	if len(e.old) > 0 && v.posted.Year() < e.since { // under the name it had then
		name = appendPlain(name, e.old)
		upper(name)
	} else {
		name = appendMaster(name, e)
	}
	if v.posted.Year() < 2014 && len(name) > 33 { // older rows stop after the first line
		name = bytes.TrimRight(name[:33], " ")
	}
	if v.posted.Year() > 2015 && r.odds(8000) {
		name = append(name, ' ')
	}
	d.tmp = name
	alias := when(len(e.alias) > 0 && r.odds(5000), e.alias)
	section := e.section
	if r.odds(400) {
		section = "00"
	}
	row.add(e.ein, name, alias, caps(e.street), capsText(e.zip.City), e.zip.State, parts{e.zip.Code, '-', padded{uint64(e.plus4), 4}}, "US", section)
	const layout = "02-Jan-2006"
	for _, at := range []time.Time{v.effective, v.posted, v.restored} {
		row.add(caps(join(nil, day{at, layout})))
	}
}
