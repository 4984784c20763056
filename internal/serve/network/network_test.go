package network

import (
	"net/netip"
	"testing"
)

func TestNetwork(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][2]string{
		"192.0.2.1": {"192.0.2.1", "192.0.2.0/24"}, "192.0.2.1:80": {"192.0.2.1", "192.0.2.0/24"}, "::ffff:192.0.2.1": {"192.0.2.1", "192.0.2.0/24"},
		"[2001:db8:1:2::1]:80": {"2001:db8:1:2::/64", "2001:db8:1::/48"}, "2001:db8:0:0:ffff::1": {"2001:db8::/64", "2001:db8::/48"},
		"fe80::1%eth0": {"fe80::/64", "fe80::/48"}, "": {"", ""}, "nonsense": {"nonsense", "nonsense"}, "[::1]": {"::/64", "::/48"},
	} {
		if near, wide := Near(in), Wide(in); near != want[0] || wide != want[1] {
			t.Errorf("%q: %q, %q, want %q", in, near, wide, want)
		}
	}
	for in, want := range map[string]bool{"127.0.0.2:1": true, "[::1]:80": true, "::1": true, "::ffff:127.0.0.1": true, "192.0.2.1": false, "": false} {
		if Local(in) != want {
			t.Errorf("%q is local: %t", in, !want)
		}
	}
}

func FuzzNetwork(f *testing.F) {
	for _, s := range []string{"192.0.2.7", "[::1]:80", "fe80::1%eth0", "", "::ffff:127.0.0.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if _, ok := Parse(address); !ok {
			return
		}
		wide, err := netip.ParsePrefix(Wide(address))
		if near, _ := Parse(address); err != nil || wide != wide.Masked() || !wide.Contains(near) || Near(Near(address)) != Near(address) {
			t.Errorf("%q is in %s, %s", address, Near(address), wide)
		}
	})
}
