package synth

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// California's two lists: the Attorney General's registry of charities, in four files by whether they may
// operate, and the tax board's revoked organizations.

// The files of the registry, of which the first has charities that may operate.
const (
	mayNotOperate = 1 + iota
	undetermined
	notOperating
)

var registryFiles = []string{"may-operate", "may-not-operate", "undetermined-status", "not-operating"}

var registryDay = date(2026, time.October, 7)

// registered says in which file of the registry an entity is, if the registry has it. The registry has
// charities of the state, and some others that ask for gifts there.
func (w *world) registered(e *entity) (file int, ok bool) {
	h := rng{sub(e.key, 'A', 0)}
	if n, gone := w.formerIndex(e); gone { // the registry keeps charities that are gone
		if n < 16 {
			return n / 2 % len(registryFiles), true
		}
		return []int{mayNotOperate, notOperating}[n/2%2], true
	}
	share := 9300
	switch {
	case e.class.is(publicBody):
		return 0, false
	case e.class == church || e.class == temple:
		// Religious bodies need not register, but some do.
		return undetermined, e.zip.State == "CA" && h.odds(900)
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
	return slices.Index(registryFiles, shares["california file"].pick(h.next())), true
}

// stateNumber is the seven-digit number of an entity at the Secretary of State and the tax board. registryNumber is its number
// in the registry. Both are bijections of serial, so no two entities share a number.
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

func (d *listWriter) californiaRegistry() error {
	var paths []string
	for _, name := range registryFiles {
		paths = append(paths, "careg/charities-"+name+".csv")
	}
	return d.writeAll(paths, header("charity registry", "\r\n"), func(files []*listFile) error {
		row := newRecord("charity registry", ",", "\r\n", false)
		return d.eachEntityEver(func(e *entity) {
			file, ok := d.w.registered(e)
			if !ok {
				return
			}
			rows := 1
			if odds(sub(e.key, 'A', 3), 40) {
				rows = 2 // an older registration of the same charity
			}
			for k := range rows {
				d.registration(row, e, file, k)
				files[file].row(row.finish())
			}
			d.counts["careg_rows"] += int64(rows)
			d.counts["careg_"+registryFiles[file]] += int64(rows)
		})
	})
}

// cell is a value padded to the width of its column; the registry never quotes.
func cell(width int, value ...any) []byte {
	v := join(nil, value...)
	return append(v, bytes.Repeat([]byte{' '}, max(width-len(v), 0))...)
}

func (d *listWriter) registration(row *record, e *entity, file, k int) {
	r := rng{sub(e.key, 'A', 4+k)}
	status := shares["california "+registryFiles[file]].pick(r.next())
	if d.w.exemption(e) == denied {
		status = "Revoked"
	}
	number := registryNumber(e)
	var registration, fein, state any
	switch x := r.n(10); {
	case x < 3:
		registration = number
	case x < 7:
		registration = parts{"CT", padded{number, 7}}
	case x < 8:
		registration = parts{"EX", number}
	}
	switch x := r.n(100); {
	case x < 9:
		d.counts["careg_without_fein"]++
	case x < 18:
		digits := e.ein.Append(nil)
		fein = parts{digits[:2], '-', digits[2:]}
	default:
		fein = e.ein
	}
	if r.odds(8000) {
		state = padded{stateNumber(e), 7}
	}
	row.add(cell(40, status), cell(12, registration), cell(12, fein), cell(12, state), cell(100, d.registeredName(e, &r)),
		cell(40, capsText(e.zip.City)), cell(4, e.zip.State))
	issued := date(max(e.founded+1, 1960)+r.n(3), time.Month(1+r.n(12)), 1+r.n(28))
	renewed := r.day(2019, 7)
	set := renewed.AddDate(0, r.n(9), 0)
	if file == undetermined {
		issued, renewed = time.Time{}, time.Time{}
	}
	const layout = "2006/01/02"
	row.add(cell(10, day{issued, layout}), cell(10, day{renewed, layout}), cell(10, day{set, layout}), day{registryDay, layout})
}

// registeredName is the name as the registry types it: capitals, no commas, quotes
// without escapes, and sometimes a letter of Windows-1252.
func (d *listWriter) registeredName(e *entity, r *rng) []byte {
	v := bytes.ReplaceAll(appendSigned(nil, e), []byte(","), nil)
	upper(v)
	space := bytes.IndexByte(v, ' ')
	switch x := r.n(400); {
	case x < 3 && space > 0:
		v = join(nil, '"', v[:space], '"', v[space:])
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

// boardRevoked reports whether the tax board has revoked an entity. The board has
// revoked most entities that the IRS has revoked, and a few others.
func (w *world) boardRevoked(e *entity) bool {
	if e.zip.State != "CA" || e.class.is(publicBody) {
		return false
	}
	if n, gone := w.formerIndex(e); gone {
		return n%4 == 0
	}
	share := 45
	if f := w.exemption(e); f.gone() && f != closed {
		share = 6500
	}
	return odds(sub(e.key, 'A', 2), share)
}

// taxSections are the letters of section 23701 of the state's tax code by 501(c) number.
var taxSections = strings.NewReplacer("03", "d", "04", "f", "05", "a", "07", "g", "08", "b", "10", "l", "19", "w")

func (d *listWriter) franchiseTaxBoard() error {
	return d.write("caftb/revoked-exempt-organizations.csv", header("tax board", "\r\n"), func(l *listFile) error {
		row := newRecord("tax board", ",", "\r\n", true)
		return d.eachEntityEver(func(e *entity) {
			if !d.w.boardRevoked(e) {
				return
			}
			r := rng{sub(e.key, 'A', 6)}
			row.add(padded{stateNumber(e), 7}, caps(appendSigned(nil, e)), capsText(e.zip.City))
			if r.odds(6500) {
				row.add(e.ein)
				d.counts["caftb_with_fein"]++
			} else {
				row.add(nil)
			}
			row.add("23701"+taxSections.Replace(e.section), day{r.day(2012, 14), "01/02/2006"})
			l.row(row.finish())
			d.counts["caftb_rows"]++
		})
	})
}
