package httpsig

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
)

// reserved are the IPv4 blocks of IANA's registry that are not for public services.
var reserved = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4")

// Of IPv6 only global unicast is public, without its blocks that embed an IPv4 address or are for protocols.
var (
	global6   = netip.MustParsePrefix("2000::/3")
	reserved6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)

func prefixes(texts ...string) []netip.Prefix { return each.Of(texts, netip.MustParsePrefix) }

func public(a netip.Addr) bool {
	a = a.Unmap()
	blocks := reserved
	if !a.Is4() {
		if a.Zone() != "" || !global6.Contains(a) {
			return false
		}
		blocks = reserved6
	}
	return a.IsValid() && !slices.ContainsFunc(blocks, func(block netip.Prefix) bool { return block.Contains(a) })
}

func (o *Options) allows(a netip.Addr) bool {
	return public(a) && !o.only || o.Loopback && a.Unmap().IsLoopback()
}

// checkAddress is the last check, at the socket, however the address was found.
func (o *Options) checkAddress(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !o.allows(a.Addr()) {
		return errPrivate
	}
	return nil
}

// checkHost refuses hosts by their names. Their addresses are checked when they are known.
func (d *Directory) checkHost(host string) *fault.Fault {
	const form = "publish the directory at a public host with a domain name, on port 443"
	normal, fail := parseHost(host)
	if fail != nil {
		return fail.Try(form)
	}
	if normal != host {
		return refuse(ErrAgent, "the host %q is not in its normal form %q", fault.Clip(host, maxQuoted), fault.Clip(normal, maxQuoted))
	}
	if d.options.Loopback || d.options.Local && isLocal(host) {
		return nil
	}
	if strings.ContainsAny(host, ":[") {
		return refuse(ErrAgent, "the host %s of Signature-Agent is an address or has a port", fault.Clip(host, maxQuoted)).Try(form)
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == host || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return refuse(ErrAgent, "the host %s of Signature-Agent is not a public domain name", fault.Clip(host, maxQuoted)).Try(form)
	}
	return nil
}

// isLocal reports whether a host is this machine by its name.
func isLocal(host string) bool {
	name, _, _ := strings.Cut(host, ":")
	return name == "localhost" || name == "127.0.0.1"
}

var errPrivate = errors.New("no public address")

// NewClient makes the HTTP client for hosts that strangers name: only to checked addresses, without proxy or redirects.
func NewClient(o Options) *http.Client {
	o.Timeout = cmp.Or(o.Timeout, fetchTimeout)
	var resolver Resolver = net.DefaultResolver
	if o.Resolver != nil {
		resolver = o.Resolver
	}
	dialer := &net.Dialer{Control: o.checkAddress}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		// Only the address checked here is dialed: a name that changes its addresses gains nothing.
		var addrs []netip.Addr
		if a, err := netip.ParseAddr(host); err == nil {
			addrs = []netip.Addr{a}
		} else {
			// The dot keeps the resolver from appending our domain; localhost is not found with it.
			if !o.Loopback {
				host += "."
			}
			if addrs, err = resolver.LookupNetIP(ctx, "ip", host); err != nil {
				return nil, err
			}
		}
		var last error = errPrivate
		tried := 0
		for _, a := range addrs {
			if !o.allows(a) || tried == 4 {
				continue
			}
			tried++
			one, cancel := context.WithTimeout(ctx, o.Timeout/2)
			conn, err := dialer.DialContext(one, "tcp", net.JoinHostPort(a.Unmap().String(), port))
			cancel()
			if err == nil {
				return conn, nil
			}
			last = err
		}
		return nil, last
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            dial,
			TLSClientConfig:        &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.only},
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (d *Directory) fetch(ctx context.Context, host string) ([]Key, time.Duration, error) {
	where := "https://" + host + Path
	fail := func(format string, args ...any) *fault.Fault {
		f := refuse(ErrDirectory, format, args...)
		f.Message = "the directory " + where + " " + f.Message
		return f.Try("serve it with status 200 and the type %s, without redirects, within %s", MediaType, d.options.Timeout)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return nil, 0, fail("has no valid address")
	}
	req.Header.Set("Accept", MediaType)
	req.Header.Set("User-Agent", "grantgraph")
	lost := func(err error) *fault.Fault {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		f := fail("%s", Reason(err))
		f.Err = errors.Join(ErrDirectory, err)
		return f
	}
	client := d.client
	if d.options.Local && isLocal(host) {
		client = d.local
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, lost(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxDirectory+1))
	if err != nil || ctx.Err() != nil {
		// After the timeout a server may end its answer early, which then looks complete.
		return nil, 0, lost(err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, 0, fail("answered with status %d", resp.StatusCode)
	}
	if media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || media != MediaType {
		return nil, 0, fail("has the type %q instead of %s", fault.Clip(resp.Header.Get("Content-Type"), maxQuoted), MediaType)
	}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, 0, fail("is compressed, which was not asked for")
	}
	if len(body) > MaxDirectory {
		return nil, 0, fail("is longer than %d bytes", MaxDirectory)
	}
	keys, err := parseDirectory(body)
	if err != nil {
		return nil, 0, fail("%v", err)
	}
	markAttested(keys, &message{
		status: resp.StatusCode,
		header: resp.Header,
		request: &message{
			method: http.MethodGet, scheme: "https", authority: host, target: Path, host: host, header: req.Header,
		},
	}, body, d.options.Now())
	return keys, lifetime(resp.Header), nil
}

// Reason says why a call of a client failed, without more of the network than can be seen from outside.
func Reason(err error) string {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.Is(err, errPrivate):
		return "is not at a public address"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return "did not answer in time"
	case errors.As(err, &dns):
		return "is at a host that cannot be resolved"
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid):
		return "is at a host without a valid certificate"
	}
	return "cannot be reached"
}

// parseDirectory reads a key set. It keeps an Ed25519 key that must not be used, so that whoever signs with it learns why.
func parseDirectory(body []byte) ([]Key, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil || set.Keys == nil {
		return nil, errors.New(`is not a JSON object with a list "keys"`)
	}
	if len(set.Keys) > MaxKeys {
		return nil, errors.New("lists more than " + strconv.Itoa(MaxKeys) + " keys")
	}
	var keys []Key
	for _, raw := range set.Keys {
		var j jwk
		if json.Unmarshal(raw, &j) != nil {
			continue
		}
		k, ok := j.key()
		if !ok {
			continue
		}
		// If a key is listed twice, the first entry counts.
		if !slices.ContainsFunc(keys, func(other Key) bool { return other.ID == k.ID }) {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

func lifetime(h http.Header) time.Duration {
	age := usualAge
	for directive := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Cache-Control"), ",")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			n, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if err != nil {
				return 0
			}
			age = time.Duration(n) * time.Second
		}
	}
	if n, err := strconv.ParseUint(h.Get("Age"), 10, 31); err == nil {
		age -= time.Duration(n) * time.Second
	}
	return min(max(age, 0), maxAge)
}
