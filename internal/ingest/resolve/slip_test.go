package resolve

import (
	"testing"
)

func TestKeyError(t *testing.T) {
	t.Parallel()
	r := New(placeUniverse(), Options{})
	for name, c := range map[string]struct {
		line Recipient
		want Match
	}{
		"slip to no organization":      {Recipient{Name1: "QUARRY PARK CONSERVANCY", State: "OH", Filed: 70000070}, found(OverrideKeyError, 70000007)},
		"slip to a stranger":           {Recipient{Name1: "QUARRY PARK CONSERVANCY", State: "OH", Filed: 70000004}, found(OverrideKeyError, 70000007)},
		"ambiguous name, told by ZIP":  {Recipient{Name1: "GRACE CHAPEL", State: "OH", ZIP: "45402", Filed: 70000020}, found(OverrideKeyError, 70000002)},
		"slip to a namesake":           {Recipient{Name1: "GRACE CHAPEL", State: "OH", ZIP: "45402", Filed: 70000003}, found(Filed, 70000003)},
		"not one slip":                 {Recipient{Name1: "QUARRY PARK CONSERVANCY", State: "OH", Filed: 70001111}, found(Filed, 70001111)},
		"right":                        {Recipient{Name1: "QUARRY PARK CONSERVANCY", State: "OH", Filed: 70000007}, found(Filed, 70000007)},
		"abroad, where names say less": {Recipient{Name1: "QUARRY PARK CONSERVANCY", Country: "UK", Filed: 70000070}, found(Filed, 70000070)},
	} {
		if got := r.Resolve(&c.line, parse(&c.line)); got != c.want {
			t.Errorf("%s: %v %s, want %v %s", name, got.EIN, got.Rule, c.want.EIN, c.want.Rule)
		}
	}
}

// What filers nearly always state for a name tells a slip from what was meant.
func TestRegistryFindsSlips(t *testing.T) {
	t.Parallel()
	r := New(registryUniverse(), Options{})
	for name, c := range map[string]struct {
		line Recipient
		want Match
	}{
		"one slip":                 {Recipient{Name1: "OFTEN RIGHT", State: "OH", Filed: 70000010}, found(OverrideKeyError, 70000001)},
		"one slip to a stranger":   {Recipient{Name1: "OFTEN RIGHT", State: "OH", Filed: 70000004}, found(OverrideKeyError, 70000001)},
		"two slips":                {Recipient{Name1: "OFTEN RIGHT", State: "OH", Filed: 70000110}, found(Filed, 70000110)},
		"where nobody has paid it": {Recipient{Name1: "OFTEN RIGHT", State: "VT", Filed: 70000010}, found(Filed, 70000010)},
		"too few say so":           {Recipient{Name1: "TWICE SAID", State: "OH", Filed: 70000010}, found(Filed, 70000010)},
		"two in the balance":       {Recipient{Name1: "BOTH OF THEM", State: "OH", Filed: 70000010}, found(Filed, 70000010)},
		"another number":           {Recipient{Name1: "VETERANS LEAGUE POST 7", State: "OH", Filed: 70000050}, found(Filed, 70000050)},
		"abroad":                   {Recipient{Name1: "OFTEN RIGHT", Country: "UK", Filed: 70000010}, found(Filed, 70000010)},
	} {
		if got := r.Resolve(&c.line, parse(&c.line)); got != c.want {
			t.Errorf("%s: %v %s, want %v %s", name, got.EIN, got.Rule, c.want.EIN, c.want.Rule)
		}
	}
}
