package synth

import (
	"bytes"
	"slices"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/table"
)

// A small register of charities in England and Wales, for boards that the register's own person numbers join.
// Charity numbers are above all that were ever given.

type town struct{ name, area, county, region string }

var towns = each.Of(readRows("uk_towns.tsv", "town", "area", "county", "region"), func(r table.Row) town {
	return town{r.Text("town"), r.Text("area"), r.Text("county"), r.Text("region")}
})

func (w *world) charities() int { return min(max(w.grants/50, 300), 30_000) }

// charity is one main charity; the same number always gives the same one.
type charity struct {
	k       int
	key     uint64
	name    []byte
	town    *town
	family  string // surname of the family that runs it, empty when none does
	cause   int
	street  []byte
	code    []byte // postcode
	kind    string
	removed bool
	joined  time.Time
	left    time.Time
	income  int64 // of the newest year
	board   []seat
	base    int // charity it is a circle of friends of, -1 when none
}

type seat struct {
	id      int64
	who     uint64 // the person, or the firm
	surname string
	firm    bool
	chair   bool
}

func (c *charity) organisation() int64 { return int64(8_000_000 + c.k) }
func (c *charity) number() int64       { return int64(8_100_000 + c.k*7) }

// linked is how many charities are registered under this one's number.
func (c *charity) linked() int {
	if c.k%15 != 3 {
		return 0
	}
	return 1 + scale(sub(c.key, 'l', 9), 3)
}

// subsidiary is the organisation number of linked charity j, from 1 on.
func (c *charity) subsidiary(j int) int64 { return int64(8_500_000 + c.k*4 + j) }

// Legal forms of charities that other columns depend on.
const (
	ukCompany = "Charitable company"
	ukCIO     = "CIO"
)

const (
	ukFamilyEvery  = 12 // every twelfth charity is a family's, and the one after it often the same family's
	ukFriendsEvery = 29
	ukRemoved      = 2800
	ukNeighbor     = 1400 // seats taken by someone from a board nearby
	ukProfessional = 1000 // boards with a professional
	ukFirm         = 400  // boards with a trust corporation
)

func (w *world) charity(k int, c *charity) {
	key := sub(w.seed, 'U', k)
	*c = charity{k: k, key: key, base: -1, name: c.name[:0], street: c.street[:0], code: c.code[:0], board: c.board[:0]}
	r := rng{sub(key, 'n', 0)}
	c.town = &towns[r.n(len(towns))]
	c.cause = r.general()
	n := foreignNamer(rng{r.next()}, c.town.name, "UK", c.cause)
	c.street = appendStreet(c.street, &r, 300)
	c.code = join(c.code, c.town.area, 1+r.n(28), ' ', byte('1'+r.n(9)), "ABDEFGHJLN"[r.n(10)], "PQRSTUWXYZ"[r.n(10)])
	c.removed = r.odds(ukRemoved)
	c.kind = shares["uk charity type"].pick(r.next())
	c.joined = r.day(1961, 64)
	if c.kind == ukCIO && c.joined.Year() < 2013 {
		c.joined = c.joined.AddDate(2013-c.joined.Year()+r.n(12), 0, 0)
	}
	if c.removed {
		c.joined = c.joined.AddDate(-3, 0, 0)
		c.left = c.joined.AddDate(1+r.n(40), r.n(12), r.n(20))
		if c.left.After(today) {
			c.left = date(2025, time.Month(1+r.n(12)), 3+r.n(20))
		}
	}
	c.income = int64(exp2(8*one + r.n(8*one) + r.n(6*one)))
	w.nameCharity(c, &n)
	upper(c.name)
}

// nameCharity names a charity: some are known abroad, some are a family's, some are circles of friends of the one before.
func (w *world) nameCharity(c *charity, n *namer) {
	k := c.k
	var before charity
	switch {
	case k%3 == 0 && k/3 < len(w.british):
		// A recipient of grants from this world's funders.
		c.name, _, _ = w.foreignRecipient(w.british[k/3], c.name)
		c.removed, c.left = false, time.Time{}
	case k%ukFamilyEvery == 4:
		c.family = n.sur
		c.name = join(c.name, "The ", n.sur, pickBar(" Charitable Trust| Family Charitable Foundation| Settlement", n.r.next()))
	case k%ukFamilyEvery == 5 && odds(sub(c.key, 'f', 0), 6000):
		w.charity(k-1, &before)
		if c.family = before.family; c.family != "" {
			c.name = join(c.name, "The ", n.r.of(givenWomen), ' ', c.family, " Trust")
		}
	case k%ukFriendsEvery == 7 && !ofFamily(k-1):
		w.charity(k-1, &before)
		c.base, c.town = k-1, before.town
		c.code = append(c.code[:0], before.code...)
		c.name = join(c.name, "Friends of ", before.name)
	}
	if len(c.name) == 0 {
		c.name = n.draw(c.name, templates["charity"])
	}
}

// ofFamily reports whether charity k may be a family's. Other boards do not borrow
// members of such a charity, because only the charity knows their surname.
func ofFamily(k int) bool { return k%ukFamilyEvery == 4 || k%ukFamilyEvery == 5 }

// seats fills the board, which only the table of trustees needs. The first three seats are always the charity's own people.
// Neighbors borrow only from those three, so that the same person really sits on both boards.
func (w *world) seats(c *charity) {
	if c.removed {
		return
	}
	r := rng{sub(c.key, 't', 0)}
	own := func(k, s int) seat {
		return seat{id: int64(1_000_000 + k*16 + s), who: sub(sub(w.seed, 'U', k), 'p', s), surname: c.family}
	}
	add := func(s seat) {
		if !slices.ContainsFunc(c.board, func(o seat) bool { return o.id == s.id }) {
			c.board = append(c.board, s)
		}
	}
	switch {
	case c.family != "":
		shared := 0
		if c.k%ukFamilyEvery == 5 {
			shared = 2 + r.n(2) // of the family's other charity
		}
		for s := range 4 + r.n(3) {
			if s < shared {
				add(own(c.k-1, s))
			} else {
				add(own(c.k, s))
			}
		}
	case c.base >= 0:
		for s := range 3 {
			add(own(c.base, s))
		}
		add(own(c.k, 0))
	default:
		for s := range 3 + r.n(8) {
			if near := c.k&^7 + r.n(8); s > 2 && r.odds(ukNeighbor) && !ofFamily(near) {
				add(own(near, r.n(3)))
				continue
			}
			add(own(c.k, s))
		}
	}
	if r.odds(ukProfessional) || c.k%10 == 1 {
		p := r.n(max(w.charities()/250, 1))
		add(seat{id: int64(500_000 + p), who: sub(w.seed, 'u', p)})
	}
	if r.odds(ukFirm) {
		p := r.n(max(w.charities()/150, 2))
		add(seat{id: int64(700_000 + p), who: sub(w.seed, 'v', p), firm: true})
	}
	if r.odds(8500) {
		c.board[0].chair = true
	}
}

// appendTrustee writes a trustee's name, which is the same on every board.
func appendTrustee(dst []byte, s *seat) []byte {
	r := rng{mix(s.who)}
	if s.firm {
		return join(dst, r.of(firms), pickBar(" Trustees Limited| Trust Corporation| Executor and Trustee Company Limited", r.next()))
	}
	if r.odds(3500) {
		dst = append(dst, pickBar("Dr |Rev |Mr |Mrs |Ms |Sir |Canon |Councillor ", r.next())...)
	}
	return appendPerson(dst, s.who, s.surname)
}

// pickBritish lists the first recipients abroad that the register could know.
func (w *world) pickBritish() {
	for k := 0; k < w.foreign && len(w.british) < 25; k++ {
		name, at, _ := w.foreignRecipient(k, nil)
		if at.country == "UK" && at.province == "England" && !bytes.ContainsAny(name, `"\`) {
			w.british = append(w.british, k)
		}
	}
}
