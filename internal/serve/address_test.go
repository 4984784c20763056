package serve

import (
	"net"
	"net/http"
	"net/netip"
	"testing"
)

func TestAddress(t *testing.T) {
	t.Parallel()
	trusting := &Server{opt: Options{Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}}}
	for _, tc := range []struct {
		s            *Server
		peer, header string
		want         string
	}{
		{&Server{}, "192.0.2.1:99", "", "192.0.2.1"},
		{&Server{}, "127.0.0.1:99", "203.0.113.9", "127.0.0.1"}, // nobody is trusted
		{trusting, "192.0.2.1:99", "203.0.113.9", "192.0.2.1"},  // not a proxy of ours
		{trusting, "127.0.0.1:99", "203.0.113.9", "203.0.113.9"},
		{trusting, "127.0.0.1:99", "198.51.100.1, 203.0.113.9", "203.0.113.9"}, // the first is hearsay
		{trusting, "[2001:db8::1]:99", "198.51.100.1, 203.0.113.9, 127.0.0.2", "203.0.113.9"},
		{trusting, "[::ffff:127.0.0.1]:99", "203.0.113.9", "203.0.113.9"},
		{trusting, "127.0.0.1:99", "nonsense", "127.0.0.1"},
		{trusting, "127.0.0.1:99", "", "127.0.0.1"},
		{trusting, "@", "203.0.113.9", "@"},
	} {
		r := &http.Request{RemoteAddr: tc.peer, Header: http.Header{}}
		if tc.header != "" {
			r.Header.Set("X-Forwarded-For", tc.header)
		}
		if got := tc.s.address(r); got != tc.want {
			t.Errorf("%s, %q: %s", tc.peer, tc.header, got)
		}
	}
}

func TestReachable(t *testing.T) {
	t.Parallel()
	for listener, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080", "192.0.2.1:80": "192.0.2.1:80", "[2001:db8::1]:80": "[2001:db8::1]:80",
		"0.0.0.0:8080": "127.0.0.1:8080", "[::]:8080": "127.0.0.1:8080",
	} {
		if got := reachable(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(listener))); got != want {
			t.Errorf("%s is reached at %s, want %s", listener, got, want)
		}
	}
}
