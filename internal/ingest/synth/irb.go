package synth

import (
	"fmt"
	"strings"
	"text/template"
	"time"
)

// The Internal Revenue Bulletin is a web page a week. Most bulletins have rulings and notices only. Some
// announce organizations whose determination was revoked, by name and place, in the wordings of different
// years. A few announce a lawsuit, which is no revocation.

const bulletins = 60

// issue is a bulletin by year and number, the number of its week.
type issue struct {
	year, number int
	day          time.Time
}

// issueAt is the k-th of the world's bulletins; the last is of October 2026.
func issueAt(k int) issue {
	day := date(2026, time.October, 12).AddDate(0, 0, -7*(bulletins-1-k))
	y, n := day.ISOWeek()
	if n == 1 { // the year's first comes out on its first working day
		day = date(y, time.January, 2)
	}
	return issue{y, n, day}
}

func (i issue) String() string { return fmt.Sprintf("%d-%02d", i.year, i.number) }

// Ways in which a bulletin lists organizations.
const (
	tableNew  = iota // table with dates, wording since 2023
	tableOld         // table with dates, wording until 2022
	plainList        // lines of name and place without dates
	untitled         // table under an announcement without a title
	listings
)

type bulletin struct {
	Issue            issue
	Date, NextMonth  string
	Year             int
	Announcement     int
	SuitAnnouncement int
	Page             int
	Ruling           int
	RulingPage       int
	Rates            []rateRow
	OldTitle         bool
	Untitled         bool
	Plain            bool
	Revoked          []bulletinEntry
	Suit             *bulletinEntry
}

type rateRow struct{ Term, Annual, Semiannual string }

type bulletinEntry struct{ Name, Place, Since string }

var bulletinPage = template.Must(template.New("bulletin").Parse(text("bulletin.html")))

func (d *listWriter) bulletins() error {
	for k := range bulletins {
		err := d.write(fmt.Sprintf("irb/%s_IRB.html", issueAt(k)), "", func(l *listFile) error {
			page := d.bulletin(k)
			l.rows = int64(len(page.Revoked))
			d.counts["irb_bulletins"]++
			return bulletinPage.Execute(l, page)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// named returns the organizations that the k-th bulletin names. The newest bulletin names organizations that
// are still on every list. The others are spread over one week in four.
func (w *world) named(k int) []int {
	late := min(rates.BulletinLate, len(w.bulletinOrder))
	if k == bulletins-1 {
		return w.bulletinOrder[:late]
	}
	const every = 4
	if k%every != 1 {
		return nil
	}
	rest, weeks := w.bulletinOrder[late:], bulletins/every
	lo, hi := len(rest)*(k/every)/weeks, len(rest)*(k/every+1)/weeks
	return rest[lo:hi]
}

func (d *listWriter) bulletin(k int) *bulletin {
	is := issueAt(k)
	r := rng{sub(d.w.seed, 'b', k)}
	b := &bulletin{Issue: is, Date: is.day.Format("January 2, 2006"), NextMonth: is.day.AddDate(0, 1, 0).Format("January 2006"),
		Year: is.year, Announcement: 3 + is.number*2/3, Ruling: 1 + is.number/2}
	b.SuitAnnouncement = b.Announcement + 1
	named := d.w.named(k)
	if len(named) > 0 {
		b.Page = 400 + r.n(600)
	}
	b.RulingPage = 300 + r.n(90)
	rate := func() string { return fmt.Sprintf("%d.%02d", 3+r.n(2), r.n(100)) }
	for _, term := range []string{"Short-term", "Mid-term", "Long-term"} {
		b.Rates = append(b.Rates, rateRow{term, rate(), rate()})
	}
	style := k / 4 % listings
	if k == bulletins-1 {
		style = tableNew
	}
	b.OldTitle, b.Plain, b.Untitled = style == tableOld || style == plainList, style == plainList, style == untitled
	for _, i := range named {
		d.w.org(i, &d.f)
		h := rng{sub(d.f.key, 'i', 3)}
		entry := d.bulletinEntry()
		entry.Since = date(2017+h.n(7), time.Month(1+h.n(2)*6), 1).Format("1/2/2006")
		b.Revoked = append(b.Revoked, entry)
		d.counts["irb_deletions"]++
		if d.f.listed {
			d.counts["irb_deletions_still_listed"]++
		}
	}
	if k%23 == 11 {
		d.drawPetitioner(&r)
		b.Suit = new(d.bulletinEntry())
		d.counts["irb_litigation"]++
	}
	return b
}

func (d *listWriter) bulletinEntry() bulletinEntry {
	name := strings.ReplaceAll(string(appendSigned(nil, &d.f)), "&", "&amp;")
	return bulletinEntry{Name: name, Place: d.f.zip.City + ", " + d.f.zip.State}
}

// drawPetitioner puts an organization into d.f that has gone to court over its
// revocation. Its donors are protected until the court decides.
func (d *listWriter) drawPetitioner(r *rng) {
	for range 1_000 {
		d.w.org(r.n(d.w.orgs), &d.f)
		if _, named := d.w.namedInBulletin[d.f.id]; d.f.listed && !named && d.f.section == "03" {
			return
		}
	}
}
