// Package network says which clients count as one when the service limits what one client may do. A household with IPv6 has at
// least 2^64 addresses, so addresses alone limit nobody.
package network

import (
	"net/netip"
	"strings"
)

// Parse reads the address of a client, with or without a port.
func Parse(address string) (at netip.Addr, ok bool) {
	if ported, err := netip.ParseAddrPort(address); err == nil {
		at = ported.Addr()
	} else if at, err = netip.ParseAddr(strings.Trim(address, "[]")); err != nil {
		return netip.Addr{}, false
	}
	return at.Unmap().WithZone(""), true
}

// Near is the network of one client: an IPv4 address, or the first 64 bits of an IPv6 address, which belong to one household. A
// text that is not an address stands for itself.
func Near(address string) string { return within(address, 32, 64) }

// Wide is the network that a client with many addresses may have: 256 addresses of
// IPv4, or the 48 bits that a provider gives to a customer with IPv6.
func Wide(address string) string { return within(address, 24, 48) }

func within(address string, bits4, bits6 int) string {
	at, ok := Parse(address)
	if !ok {
		return address
	}
	bits := bits4
	if at.Is6() {
		bits = bits6
	}
	if bits == at.BitLen() {
		return at.String()
	}
	p, _ := at.Prefix(bits) // the address has more bits
	return p.String()
}

// Local reports whether a client is on this machine. It may be a proxy that the
// operator did not declare, whose clients would all count as one.
func Local(address string) bool {
	at, ok := Parse(address)
	return ok && at.IsLoopback()
}

// LocalHost reports whether a host of an address is this machine.
func LocalHost(host string) bool { return host == "localhost" || Local(host) }
