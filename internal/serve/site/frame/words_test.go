package frame

import "testing"

func TestPlace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ city, state, country, want string }{
		{"FORT MYERS", "FL", "", "Fort Myers, FL"},
		{"", "FL", "", "FL"},
		{"BERLIN", "", "GM", "Berlin, Germany"},
		{"", "", "GM", "Germany"},
		{"NOWHERE", "", "??", "Nowhere, ??"},
		{},
	} {
		if got := Place(tc.city, tc.state, tc.country); got != tc.want {
			t.Errorf("%+v: %q", tc, got)
		}
	}
}
