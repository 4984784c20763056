package synth

import (
	"bufio"
	"bytes"
	"strings"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/place"
)

// The master file is written in blocks of organizations, each into one fragment per region.

const (
	masterBlock = 1 << 15
	masterFiles = 4
	abroadFile  = masterFiles - 1 // the file with organizations abroad
)

// entities is how many rows the master file could have: organizations,
// funders, the national bodies of federations and churches, and some abroad.
func (w *world) entities() int { return w.domestic() + w.abroad() }

// domestic is how many of them have an address in the country.
func (w *world) domestic() int { return w.orgs + w.funders + len(federations) + len(churchBodies) }

func (w *world) at(i int, e *entity) {
	switch {
	case i < w.orgs:
		w.org(i, e)
	case i < w.orgs+w.funders:
		w.funder(i-w.orgs, e)
	case i < w.orgs+w.funders+len(federations):
		w.federation(i-w.orgs-w.funders, e)
	default:
		w.churchBody(i-w.orgs-w.funders-len(federations), e)
	}
}

// abroad is how many organizations with an address in another country the master file lists.
func (w *world) abroad() int { return 3 + w.orgs/1500 }

// master writes block k of the master file into the four regional fragments.
func (g *gen) master(k int, out []*bufio.Writer, t *tally) {
	w, e := g.w, &g.f
	row := newRecord("master file", ",", "\r\n", false)
	for i := k * masterBlock; i < min((k+1)*masterBlock, w.entities()); i++ {
		file := abroadFile
		if i >= w.domestic() {
			w.foreignRow(row, i-w.domestic())
		} else {
			if w.at(i, e); !e.listed {
				continue
			}
			wealth, cohort := orgWealth(e), 0
			switch {
			case i < w.orgs:
				cohort = (i/len(w.slots) + i%len(w.slots)) & (cohorts - 1)
			case i < w.orgs+w.funders:
				wealth = w.funderWealth(e, e.class.is(privateFoundation))
				cohort = e.rank % cohorts
			}
			g.masterRow(row, e, wealth, cohort)
			file = stateOf[e.zip.State].master - 1
		}
		out[file].Write(row.finish())
		t.bmf[file]++
	}
}

func federationGroup(f int) int { return 1000 + f*7 }

func (w *world) federation(f int, e *entity) {
	fed := &federations[f]
	w.national(e, sub(w.seed, 'N', f), fed.name, entity{class: chapter, field: fed.field, group: federationGroup(f), section: fed.section,
		founded: 1890 + f*4, suffix: "Inc"})
}

func (w *world) churchBody(k int, e *entity) {
	w.national(e, sub(w.seed, 'N', 1000+k), churchBodies[k].name, entity{class: church, field: church.facts().field, group: churchBodyGroup(k),
		founded: 1905 + 3*k})
}

func (w *world) national(e *entity, key uint64, name string, as entity) {
	as.id, as.key, as.slot = idFirm+as.group, key, scale(key, len(w.slots))
	as.listed, as.parent, as.money = true, true, 22*one
	w.become(e, as)
	e.core = append(e.core, name...)
	w.locate(e)
}

// supportCodes are the types of supporting organizations, the common ones more than once.
var supportCodes = []string{"21", "21", "21", "22", "22", "23", "24", "17"}

func foundationCode(e *entity) string {
	code := e.class.facts().foundation
	switch {
	case e.section != "03":
		return "00"
	case e.class == operatingFoundation && odds(sub(e.key, '@', 2), rates.OperatingExempt):
		return "02"
	case code != "":
		return code
	case e.class == supporter || e.base >= 0:
		return supportCodes[scale(sub(e.key, '@', 1), len(supportCodes))]
	case odds(sub(e.key, '@', 0), 3500):
		return "16"
	}
	return "15"
}

// incomeSizes are the amounts at which size classes 2 to 9 begin.
var incomeSizes = [...]int64{10_000, 25_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000, 50_000_000}

func incomeCode(n int64) byte {
	if n <= 0 {
		return '0'
	}
	code := byte('1')
	for _, size := range incomeSizes {
		if n >= size {
			code++
		}
	}
	return code
}

// shortListed reports whether the master file lists a member of a group by the name of the group, and its own name beside that.
func shortListed(e *entity) bool {
	return e.lead > 0 && e.lead < len(e.core) && odds(sub(e.key, 'G', 0), rates.GroupShort)
}

// appendMaster writes the name as the master file has it: upper case, at most two lines of 35 characters.
func appendMaster(dst []byte, e *entity) []byte {
	start := len(dst)
	if shortListed(e) {
		dst = appendPlain(dst, e.core[:e.lead])
	} else {
		dst = appendLegal(dst, e)
	}
	upper(dst[start:])
	return dst[:min(len(dst), start+70)]
}

func (g *gen) masterName(e *entity, r *rng) []byte {
	name := appendMaster(g.tmp[:0], e)
	// The IRS joins its two name lines without the space between them.
	if len(name) > 36 && r.odds(rates.MasterJoined) {
		if i := bytes.IndexByte(name[30:36], ' '); i >= 0 {
			name = append(name[:30+i], name[31+i:]...)
		}
	}
	if e.suffix == "Inc" && r.odds(rates.MasterComma) { // a comma in the name, hence quotes
		name = join(nil, '"', name[:len(name)-4], `,INC"`)
	}
	g.tmp = name
	return name
}

func sortName(e *entity) []byte {
	trade, onFile := trades(e)
	switch {
	case shortListed(e):
		return appendPlain(nil, bytes.TrimPrefix(e.core[e.lead:], []byte(" ")))
	case trade && onFile:
		return appendTrade(nil, e, 0)
	}
	return e.alias
}

func classification(e *entity) string {
	switch fields[e.field].code {
	case "X21", "X30", "X40":
		return "7000"
	case "B20", "B42", "B94", "B82":
		return "2000"
	}
	return "1000"
}

func (g *gen) masterRow(row *record, e *entity, wealth, cohort int) {
	r := rng{sub(e.key, '#', 0)}
	c := g.w.irsCodes(e)
	row.add(e.ein, g.masterName(e, &r))
	row.add(when(r.odds(4500), parts{"% ", caps(g.appendMember(nil, e, 0, 2024))}))
	row.add(caps(e.street), capsText(e.zip.City), e.zip.State, parts{e.zip.Code, '-', padded{uint64(e.plus4), 4}},
		padded{uint64(c.group), 4}, c.section, c.affiliation, classification(e),
		parts{padded{uint64(c.year), 4}, padded{uint64(c.month), 2}}, c.deductible, c.foundation, "000000000", c.organization, c.status)
	bk := financesOf(e, 2024, 0, wealth)
	assets, income := bk.assets, bk.revenue
	month := padded{uint64(closing(cohort) + 1), 2}
	var period, revenue any
	period, revenue = parts{"2024", month}, bk.revenue
	form, foundation := "01", '0'
	switch {
	case e.class == church || e.class == temple: // they need not file
		form, assets, income, period, revenue = "06", 0, 0, nil, nil
	case e.class.is(privateFoundation):
		form, foundation, revenue = "00", '1', nil
	case e.money < 15*one:
		form = "02"
	}
	row.add(period, incomeCode(assets), incomeCode(income), form, foundation, month, assets, income, revenue)
	code := ""
	if !r.odds(2800) {
		code = fields[e.field].code
		if r.odds(700) {
			code += "Z"
		}
	}
	row.add(code, caps(sortName(e)))
}

// foreigner names organization k abroad that the IRS recognizes.
func (w *world) foreigner(k int) (name []byte, at *foreignPlace, street []byte) {
	at, n := foreignBody(sub(w.seed, 'J', k))
	name = n.draw(nil, templates["foreign"])
	return name, at, appendStreet(nil, &n.r, 0)
}

// countryName is the name of the country as the lists of the IRS have it.
func (p *foreignPlace) countryName() string {
	name, _ := place.Country(p.country)
	return strings.ReplaceAll(name, ",", "")
}

func (w *world) foreignEIN(k int) ein.EIN { return w.ein(idFirm + 200_000 + k) }

// foreignRow is the row of an organization abroad: the city column holds the
// country, the street column the whole address in quotes.
func (w *world) foreignRow(row *record, k int) {
	name, p, street := w.foreigner(k)
	row.add(w.foreignEIN(k), caps(name), nil, parts{`"`, capsText(p.postal), ' ', caps(street), ", ", capsText(p.city), `"`}, capsText(p.countryName()))
	for _, field := range strings.Split(",00000-0000,0000,03,3,1000,200801,1,15,000000000,1,01,202412,4,4,01,0,12,250000,180000,180000,Q30,", ",") {
		row.add(field)
	}
}

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
