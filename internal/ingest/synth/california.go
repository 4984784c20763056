package synth

import (
	"bytes"
	"time"
)

// California's two lists: the Attorney General's registry of charities, in
// four files by whether they may operate, and the tax board's revoked
// organizations.

// registry are the four files with the statuses in each and how many in ten
// thousand of its rows have them.
var registry = []struct {
	name     string
	statuses weighted
}{
	{"may-operate", weighted{{"Current", 7200}, {"Current - Awaiting Reporting", 900}, {"Current - Reporting Incomplete", 500}, {"Current - In Process", 300}, {"Exempt", 900}, {"Exempt - Religious", 200}}},
	{"may-not-operate", weighted{{"Delinquent", 6400}, {"Delinquent - Late Fees Due", 600}, {"Suspended", 1600}, {"Revoked", 700}, {"Mutual Benefit", 600}, {"Not Registered - Cease and Desist Order", 100}}},
	{"undetermined-status", weighted{{"Not Registered", 5500}, {"Enforcement Action Pending", 700}, {"Dissolution Pending", 2000}, {"Never Registered - Dissolution Pending", 1200}, {"Exempt - Dissolution Pending", 600}}},
	{"not-operating", weighted{{"Dissolved", 6200}, {"Dissolution Waiver Issued", 900}, {"Withdrawn", 1500}, {"Closed - Registration Not Required", 900}, {"Trust Closed", 300}, {"Exempt - Withdrawn", 200}}},
}

const (
	mayOperate = iota
	mayNotOperate
	undetermined
	notOperating
)

// registryDay is the date that all four files bear.
var registryDay = time.Date(2026, time.October, 7, 0, 0, 0, 0, time.UTC)

// registered says which of the registry's files an entity is in, and whether
// in any: those of the state, and some others that ask for gifts there.
func (w *world) registered(e *entity) (file int, ok bool) {
	h := rng{sub(e.key, 'A', 0)}
	if n, gone := w.formerIndex(e); gone { // the registry forgets nobody, and hears late
		if n < 16 {
			return n / 2 % len(registry), true
		}
		return []int{mayNotOperate, notOperating}[n/2%2], true
	}
	switch e.class {
	case government, publicCollege:
		return 0, false
	case church, temple:
		// Religious bodies need not register; some are on file all the same.
		if e.zip.State != "CA" || !h.odds(900) {
			return 0, false
		}
		return undetermined, true
	}
	share := uint32(9300)
	switch {
	case e.zip.State == "CA":
	case e.id < w.wellKnown():
		share = 1200
	default:
		share = 250
	}
	if !h.odds(share) {
		return 0, false
	}
	switch f := w.exemption(e); {
	case f == closed:
		return notOperating, true
	case f.gone():
		return mayNotOperate, true
	}
	switch x := h.n(100); {
	case x < 72:
		return mayOperate, true
	case x < 88:
		return mayNotOperate, true
	case x < 97:
		return undetermined, true
	}
	return notOperating, true
}

// stateNumber is the seven digits by which the Secretary of State and the tax
// board know an entity, and registryNumber those of the registry. No two
// entities share one: both are bijections of who it is.
func stateNumber(e *entity) uint64    { return 1_000_000 + uint64(serial(e))*7_919%9_000_000 }
func registryNumber(e *entity) uint64 { return 1_000_000 + uint64(serial(e))*104_729%9_000_000 }

// serial numbers the entities of all kinds within nine million.
func serial(e *entity) int {
	switch {
	case e.id >= idFirm:
		return e.id - idFirm + 7_000_000
	case e.id >= idFunder:
		return e.id - idFunder + 3_000_000 // organizations stay below three million
	}
	return e.id
}

// californiaRegistry writes the Attorney General's four files.
func (d *listWriter) californiaRegistry() error {
	var files [4]*listFile
	for i := range registry {
		l, err := d.create("careg/charities-" + registry[i].name + ".csv")
		if err != nil {
			return err
		}
		defer l.h.abandon()
		l.WriteString("Registry Status,State Charity Reg#,FEIN,SOS/FTB#,Name,City,State,Issue Date,Last Renewal,Date Status Set,As-of Date\r\n")
		files[i] = l
	}
	var b []byte
	err := d.eachEntityEver(func(e *entity) {
		file, ok := d.w.registered(e)
		if !ok {
			return
		}
		rows := 1
		if odds(sub(e.key, 'A', 3), 40) {
			rows = 2 // an older registration of the same charity
		}
		for k := range rows {
			b = d.registration(b[:0], e, file, k)
			files[file].row(b)
			d.counts["careg_rows"]++
		}
		d.counts["careg_"+registry[file].name] += int64(rows)
	})
	if err != nil {
		return err
	}
	for _, l := range files {
		if err := d.finish(l); err != nil {
			return err
		}
	}
	return nil
}

// cell pads a value to the width of its column; the registry never quotes.
func cell(dst []byte, value []byte, width int) []byte {
	dst = append(dst, value...)
	for n := len(value); n < width; n++ {
		dst = append(dst, ' ')
	}
	return append(dst, ',')
}

func (d *listWriter) registration(b []byte, e *entity, file, k int) []byte {
	r := rng{sub(e.key, 'A', 4+k)}
	status := registry[file].statuses.pick(r.next())
	if d.w.exemption(e) == denied {
		status = "Revoked"
	}
	b = cell(b, []byte(status), 40)
	var v []byte
	switch x := r.n(10); {
	case x < 3:
		v = appendInt(v, int64(registryNumber(e)))
	case x < 7:
		v = appendPadded(append(v, "CT"...), registryNumber(e), 7)
	case x < 8:
		v = appendInt(append(v, "EX"...), int64(registryNumber(e)))
	}
	b = cell(b, v, 12)
	v = v[:0]
	switch x := r.n(100); {
	case x < 9:
		d.counts["careg_without_fein"]++
	case x < 18:
		v = e.ein.Append(v)
		v = append(v[:2], append([]byte{'-'}, v[2:]...)...)
	default:
		v = e.ein.Append(v)
	}
	b = cell(b, v, 12)
	v = v[:0]
	if r.odds(8000) {
		v = appendPadded(v, stateNumber(e), 7)
	}
	b = cell(b, v, 12)
	b = cell(b, d.registeredName(v[:0], e, &r), 100)
	v = append(v[:0], e.zip.City...)
	upper(v)
	b = cell(b, v, 40)
	b = cell(b, []byte(e.zip.State), 4)
	const layout = "2006/01/02"
	issued := time.Date(max(e.founded+1, 1960)+r.n(3), time.Month(1+r.n(12)), 1+r.n(28), 0, 0, 0, 0, time.UTC)
	renewed := time.Date(2019+r.n(7), time.Month(1+r.n(12)), 1+r.n(28), 0, 0, 0, 0, time.UTC)
	set := renewed.AddDate(0, r.n(9), 0)
	if file == undetermined {
		issued, renewed = time.Time{}, time.Time{}
	}
	b = cell(b, appendDay(v[:0], issued, layout), 10)
	b = cell(b, appendDay(v[:0], renewed, layout), 10)
	b = cell(b, appendDay(v[:0], set, layout), 10)
	b = appendDay(b, registryDay, layout)
	return append(b, '\r', '\n')
}

// registeredName is the name as the registry types it: capitals, no commas,
// quotes that nobody escapes, and now and then a letter of Windows-1252.
func (d *listWriter) registeredName(v []byte, e *entity, r *rng) []byte {
	v = appendSigned(v, e)
	v = bytes.ReplaceAll(v, []byte(","), nil)
	upper(v)
	switch x := r.n(400); {
	case x < 3 && bytes.IndexByte(v, ' ') > 0:
		i := bytes.IndexByte(v, ' ')
		v = append(append(append([]byte{'"'}, v[:i]...), '"'), v[i:]...)
		d.counts["careg_quotes"]++
	case x < 4:
		v = append(v, ` "`...) // a quote that is never closed
		d.counts["careg_quotes"]++
	case x < 6:
		if i := bytes.IndexByte(v, 'E'); i >= 0 {
			v[i] = 0xc9
			d.counts["careg_windows_1252"]++
		}
	case x < 8:
		v = append(v, " \x96 FUND"...) // a dash
		d.counts["careg_windows_1252"]++
	}
	return v[:min(len(v), 98)]
}

// boardRevoked reports whether the tax board has revoked an entity: a good
// part of those that the IRS has, and a few that it has not.
func (w *world) boardRevoked(e *entity) bool {
	if e.zip.State != "CA" || e.class == government || e.class == publicCollege {
		return false
	}
	if n, gone := w.formerIndex(e); gone {
		return n%4 == 0
	}
	share := uint32(45)
	if f := w.exemption(e); f.gone() && f != closed {
		share = 6500
	}
	return odds(sub(e.key, 'A', 2), share)
}

// franchiseTaxBoard writes the list of organizations without a state exemption.
func (d *listWriter) franchiseTaxBoard() error {
	l, err := d.create("caftb/revoked-exempt-organizations.csv")
	if err != nil {
		return err
	}
	defer l.h.abandon()
	l.WriteString("Entity ID,Entity Name,City,FEIN,R&TC Section,Revocation Date\r\n")
	var b, v []byte
	err = d.eachEntityEver(func(e *entity) {
		if !d.w.boardRevoked(e) {
			return
		}
		r := rng{sub(e.key, 'A', 6)}
		b = appendPadded(b[:0], stateNumber(e), 7)
		b = append(b, ',')
		v = appendSigned(v[:0], e)
		upper(v)
		b = append(appendCSV(b, v), ',')
		v = append(v[:0], e.zip.City...)
		upper(v)
		b = append(appendCSV(b, v), ',')
		if r.odds(6500) {
			b = e.ein.Append(b)
			d.counts["caftb_with_fein"]++
		}
		b = append(b, ",23701"...)
		switch e.section {
		case "04":
			b = append(b, 'f')
		case "05":
			b = append(b, 'a')
		case "07":
			b = append(b, 'g')
		case "08":
			b = append(b, 'b')
		case "10":
			b = append(b, 'l')
		case "19":
			b = append(b, 'w')
		default:
			b = append(b, 'd')
		}
		b = append(b, ',')
		b = appendDay(b, time.Date(2012+r.n(14), time.Month(1+r.n(12)), 1+r.n(28), 0, 0, 0, 0, time.UTC), "01/02/2006")
		b = append(b, '\r', '\n')
		l.row(b)
		d.counts["caftb_rows"]++
	})
	if err != nil {
		return err
	}
	return d.finish(l)
}

// appendCSV writes a field, in quotes when it must be.
func appendCSV(dst, v []byte) []byte {
	if !bytes.ContainsAny(v, ",\"\r\n") {
		return append(dst, v...)
	}
	dst = append(dst, '"')
	for _, c := range v {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}
