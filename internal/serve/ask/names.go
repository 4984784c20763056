package ask

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/typo"
)

// lookups find out whom names mean, for a question and for its answer: organizations by identify, and recipients that
// grants name without an EIN. After an error, requests return nothing.
type lookups struct {
	a    *Asker
	ctx  context.Context
	memo map[identify.Question]identify.Answer // of texts that were identified
	err  error                                 // the first one
	main *api.Inquiry                          // the first request
	last *client.Service                       // of the latest request
}

func (a *Asker) lookups(ctx context.Context) lookups {
	return lookups{a: a, ctx: ctx, memo: map[identify.Question]identify.Answer{}, last: &client.Service{}}
}

// get runs an API operation. A parameter that the API ignored is an error,
// because the answer would be to another question. After an error, the answer is empty.
func get[T any, A interface {
	*T
	client.Answer
}](l *lookups, path string, v url.Values) A {
	found, ok := l.ask(path, v, nil).(A)
	if !ok {
		l.err = cmp.Or(l.err, fmt.Errorf("%s answers %T", path, found))
		return new(T)
	}
	return found
}

func (l *lookups) ask(path string, v url.Values, body []byte) client.Answer {
	if l.err != nil {
		return nil
	}
	q := api.Inquiry{Path: path, Query: v, Body: body, Caller: l.a.Caller}
	l.main = cmp.Or(l.main, &q)
	a, release, err := l.a.Ask(l.ctx, l.a.Data, q)
	if err != nil {
		if l.err = err; len(api.Problems(err)) > 0 {
			l.err = invalid("%v", err)
		}
		return nil
	}
	// The answer copies what it shows, which is only a few rows.
	defer release()
	if l.last = a.Extension(); len(l.last.Unsupported) > 0 {
		l.err = invalid("%s was not applied", strings.Join(l.last.Unsupported, ", "))
	}
	return a
}

// sum requests the totals of grants.
func (l *lookups) sum(v url.Values) *grants.SummaryAnswer {
	return get[grants.SummaryAnswer](l, "/grants/summary", v)
}

// identify finds out whom a text means, once for all wordings of a question.
func (l *lookups) identify(q identify.Question) identify.Answer {
	found, ok := l.memo[q]
	if !ok {
		found = otherWayRound(q.Text, l.a.Data.Search.Identify(l.ctx, q))
		l.memo[q] = found
	}
	return found
}

// otherWayRound tells "Miami University" from the University of Miami: it means the one that is called so, or nobody.
func otherWayRound(text string, found identify.Answer) identify.Answer {
	place, ok := strings.CutSuffix(strings.ToLower(text), " university")
	if !ok || len(found.Candidates) == 0 || !strings.Contains(strings.ToLower(found.Candidates[0].DisplayName), "university of "+place) {
		return found
	}
	for _, c := range found.Candidates {
		if orgname.Key(c.DisplayName) == orgname.Key(text) {
			c.Probability = doubtful
			return identify.Answer{Verdict: identify.Likely, Candidates: []identify.Candidate{c}}
		}
	}
	return identify.Answer{Candidates: found.Candidates}
}

// sums are the dollars that an organization gave or received.
func (l *lookups) sums(id, side string) int64 {
	e, bad := ein.Parse(id)
	s, err := l.a.Data.Graph.Sums(l.ctx, e, map[string]graph.Side{"recipient": graph.Received}[side])
	if bad != nil || err != nil {
		return 0
	}
	return s.Total
}

// unsure reports whether words name no organization, or only those that are known to share their address with somebody of that
// name.
func unsure(found identify.Answer) bool {
	known := func(c identify.Candidate) bool { return !c.AtAddress() && c.Probability >= smallest }
	return found.Verdict == identify.Nobody || found.Verdict == identify.Several && found.Candidates[0].AtAddress() &&
		!slices.ContainsFunc(found.Candidates, known)
}

// resembling are the candidates whose own name has a telling word of a text, that filers call so, or whose initials it is; and
// those that have it in a former name, which may be a mistake of one filer, or whose name begins with it.
func resembling(text string, list []identify.Candidate) (own, other []identify.Candidate) {
	words := strings.Fields(telling(Party{Name: text}))
	if len(words) == 0 {
		words = strings.Fields(strings.ToLower(text)) // UC
	}
	alike := func(a, b string) bool {
		return strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s") || len(b) > 7 && typo.Within(a, b, 1) <= 1
	}
	has := func(name string) bool {
		return slices.ContainsFunc(tokens(name), func(t token) bool {
			return slices.ContainsFunc(words, func(w string) bool { return alike(t.text, w) })
		})
	}
	initials := text == strings.ToUpper(text) || text == strings.ToLower(text)
	for _, c := range list {
		switch {
		case has(c.DisplayName), initials && strings.Contains(initialsOf(c.DisplayName), strings.ToLower(text)),
			strings.HasPrefix(c.Why, "called") && has(c.Name):
			own = append(own, c)
		case c.AtAddress() && is("head", strings.ToLower(text[strings.LastIndex(text, " ")+1:])):
			// A name that ends in "Foundation" is no trade name of a neighbor.
		case has(c.Name), len(words) == 1 && len(words[0]) > 2 && strings.HasPrefix(strings.ToLower(c.Name), words[0]): // the Met
			other = append(other, c)
		}
	}
	return own, other
}

// named reports whether a candidate resembles a text by its own name.
func named(text string, c identify.Candidate) bool {
	own, _ := resembling(text, []identify.Candidate{c})
	return len(own) > 0
}

func initialsOf(name string) (letters string) {
	for _, t := range tokens(name) {
		if !is("function", t.text) {
			letters += t.text[:1]
		}
	}
	return letters
}

// unlinkedParty is the recipient that grants without an EIN call by a name, nil if there is none.
func (l *lookups) unlinkedParty(name string) *Party {
	k := l.kin(&Plan{}, Party{Name: name})[unlinked]
	if len(k.ids) == 0 {
		return nil
	}
	return &Party{Name: k.names[0], Asked: name, RecipID: strings.Join(k.ids, ",")}
}

// Limits on looking for other names of a recipient.
const (
	longestQuery = 500 // bytes that the API takes as words to search for
	mostNamed    = 24  // names that are identified
	mostFamily   = 60  // recipients of one name
	mostNames    = 3   // names that are told
)

// called are the recipients of grants that a plan asks for, by words of their names; the largest come first.
func (l *lookups) called(p *Plan, words string) []grants.RecipientRow {
	if !searchable(words) {
		return nil
	}
	v := p.values()
	v.Del("recip_id")
	v.Set("query", strings.TrimSpace(v.Get("query")+" "+words))
	v.Set("exclude", strings.Join(p.excluded("individuals", "unidentified"), ","))
	v.Set("limit", "100")
	return get[api.List[grants.RecipientRow]](l, "/grants/recipients", v).Results
}

// searchable reports whether the API takes a text as words to search for.
func searchable(words string) bool {
	_, ok := graph.ParseQuery(words)
	return ok && len(words) <= longestQuery
}

// completed is the only name of recipients that adds one noun to a name: ClimateWorks
// Foundation for "ClimateWorks". It is empty if there are several, or none.
func (l *lookups) completed(name string) (whole string) {
	key := orgname.Key(name)
	for _, row := range l.called(&Plan{}, quoted(name)) {
		other := orgname.Key(row.RecipName)
		if noun, ok := strings.CutPrefix(other, key); !ok || key == "" || !is("head", strings.ToLower(noun)) {
			continue
		}
		if whole != "" && orgname.Key(whole) != other {
			return ""
		}
		whole = row.RecipName
	}
	return whole
}

// means says which kind of kin of an organization the name of a recipient means. A name that is not the one of the party must
// mean it certainly. If the first words of the name mean the organization, so many, and the name as a whole means nobody, it is
// a branch.
func (l *lookups) means(row *grants.RecipientRow, o *Party, begin int) (kind int, ok bool) {
	q := identify.Question{Text: row.RecipName, Role: identify.Grantee}
	if row.RecipState != nil {
		q.State = *row.RecipState
	}
	found := l.inTown(q, row)
	if o.EIN == "" || isFor(found, q.Text, o) || orgname.Key(q.Text) == orgname.Key(o.Name) && isLikely(found, o) {
		return unlinked, true
	}
	words := strings.Fields(strings.ToLower(q.Text))
	beginning := strings.Join(words[:min(begin, len(words))], " ")
	lacks := func(w string) bool { return !strings.Contains(beginning, w) }
	if begin == 0 || begin >= len(words) || l.identify(q).Verdict >= identify.Likely || slices.ContainsFunc(strings.Fields(telling(*o)), lacks) {
		return unlinked, false
	}
	q.Text = beginning
	return branch, isFor(l.inTown(q, row), beginning, o)
}

// inTown finds out whom a name means, in the city of the recipient if it fits several: "United Way Inc" of a city.
func (l *lookups) inTown(q identify.Question, row *grants.RecipientRow) identify.Answer {
	found := l.identify(q)
	if found.Verdict == identify.Several && row.RecipCity != nil {
		q.City = *row.RecipCity
		found = l.identify(q)
	}
	return found
}

// isFor reports whether a text surely means a party.
func isFor(found identify.Answer, text string, o *Party) bool {
	best, ok := found.Best()
	key := orgname.Key(text)
	return ok && best.EIN.String() == o.EIN && (found.Verdict == identify.Certain || key == orgname.Key(o.Name) || key == orgname.Key(o.Asked))
}

// isLikely reports whether a party is one of few that are meant, if any is.
func isLikely(found identify.Answer, o *Party) bool {
	const least = .25
	return slices.ContainsFunc(found.Candidates, func(c identify.Candidate) bool { return c.EIN.String() == o.EIN && c.Probability >= least })
}

// kin are the identities of recipients without an EIN that go by the name of an organization, and their names.
type kin struct{ ids, names []string }

// The kinds of kin: the organization itself, however it is spelled or cut off, and what may be a part of it, since its name
// begins with words that mean the organization: "Corven University School of Law".
const (
	unlinked = iota
	branch
)

// kin finds both kinds. For a name that means no organization, they are the recipients of exactly that name.
func (l *lookups) kin(p *Plan, o Party) (found [2]kin) {
	begin := len(tokens(o.Asked))
	if begin == 1 && !strings.Contains(strings.ToLower(o.Name), strings.ToLower(o.Asked)) {
		begin = len(tokens(o.Name)) // UCLA is no beginning of a name
	}
	if begin == 1 && l.inCity(o.Asked, "") > 0 {
		begin = 2 // Stanford Jazz Workshop may have its name from the city
	}
	seen := map[string]bool{}
	for _, words := range append(each(alias.Split(o.Name, -1), quoted), quoted(o.Name), quoted(o.Asked), telling(o)) {
		for _, row := range l.called(p, words) {
			if row.RecipEIN != nil || seen[row.RecipID] || len(seen) == mostNamed || o.EIN == "" && orgname.Key(row.RecipName) != orgname.Key(o.Name) {
				continue
			}
			seen[row.RecipID] = true
			if kind, ok := l.means(&row, &o, begin); ok {
				found[kind].ids, found[kind].names = append(found[kind].ids, row.RecipID), addNew(found[kind].names, orgname.Display(row.RecipName))
			}
		}
	}
	return found
}

// alias matches what joins the names of an organization.
var alias = regexp.MustCompile(`(?i)\s(?:aka|dba|d/b/a|fka|f/k/a)\s`)

// quoted is a name as a phrase to search for.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, " ") + `"` }

// telling are the words that tell the name of an organization from others: those that its
// name and the words of the question share, without nouns such as "university".
func telling(o Party) string {
	words := func(name string) []string {
		return slices.DeleteFunc(each(tokens(name), token.word), func(w string) bool {
			return len(w) < 3 || is("function", w) || is("head", w) || digits(w)
		})
	}
	name, asked := words(o.Name), words(o.Asked)
	if both := slices.DeleteFunc(slices.Clone(asked), func(w string) bool { return !slices.Contains(name, w) }); len(both) > 0 {
		name = both
	}
	return strings.Join(name, " ")
}
