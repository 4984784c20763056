package httpsig

import (
	"cmp"
	"container/list"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"crypto/x509"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig/structured"
)

const (
	MaxDirectory = 64 << 10        // bytes of a directory
	MaxKeys      = 64              // keys of a directory
	fetchTimeout = 3 * time.Second // for everything: name, connection, answer
	maxHosts     = 4096            // directories remembered
	maxFlights   = 64              // directories being fetched at once

	// A host is asked at most once in rest, whatever it answers and whatever keys requests name.
	rest = 30 * time.Second
	// Without a lifetime an answer is valid for usualAge, and none for longer than maxAge, also of a withdrawn key.
	usualAge = 10 * time.Minute
	maxAge   = time.Hour
	// When a host stops answering, its last answer stays valid for keepAge, through an outage.
	keepAge = 24 * time.Hour
)

// Resolver finds the addresses of a host. *net.Resolver is a Resolver.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options change how a Directory reaches its hosts. The zero Options are for production.
type Options struct {
	Roots    *x509.CertPool // trusted authorities; nil for the system's
	Resolver Resolver       // nil for the system's
	Now      func() time.Time
	Timeout  time.Duration // of one fetch; zero for 3 seconds

	// Loopback allows hosts with ports, hosts written as addresses, and hosts on this machine. It is for tests and
	// demonstrations: with it, anyone who sends a request can make this process call any TLS port of its own machine.
	Loopback bool

	// Local allows directories at localhost and 127.0.0.1, at any port and with any certificate. It is for demonstrations: with it,
	// anyone who sends a request can make this process call any TLS port of its own machine.
	Local bool

	only bool // no other addresses than those of this machine, whose certificates are not checked
}

// Directory finds keys in the directories that agents publish at their own hosts. It caches directories, asks each host rarely
// and only once at a time, and never connects to an address that is not public. It is safe for concurrent use.
type Directory struct {
	options Options
	client  *http.Client
	local   *http.Client  // calls this machine only, and checks no certificate; nil without Options.Local
	flights chan struct{} // one token for each fetch under way

	mu    sync.Mutex
	hosts map[string]*listing
	order *list.List // of *listing, the most recently used first
}

// listing is the cached directory of one host. The mutex of the Directory guards it.
type listing struct {
	host    string
	keys    []Key
	read    time.Time     // when keys were read; zero if never
	fresh   time.Time     // until when the host need not be asked again
	asked   time.Time     // when the host was asked last
	err     error         // of the last fetch
	flight  chan struct{} // closed when the fetch under way ends; nil if there is none
	element *list.Element
}

func NewDirectory(o Options) *Directory {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Timeout = cmp.Or(o.Timeout, fetchTimeout)
	d := &Directory{
		options: o,
		client:  NewClient(o),
		flights: make(chan struct{}, maxFlights),
		hosts:   make(map[string]*listing),
		order:   list.New(),
	}
	if o.Local {
		o.Loopback, o.only = true, true
		d.local = NewClient(o)
	}
	return d
}

// Key finds a key of a host by its thumbprint, and never that of another host.
func (d *Directory) Key(ctx context.Context, host, keyid string) (Key, error) {
	if fail := d.checkHost(host); fail != nil {
		return Key{}, fail
	}
	for asked := false; ; asked = true {
		d.mu.Lock()
		l := d.listing(host)
		if flight := l.flight; flight != nil {
			d.mu.Unlock()
			if err := wait(ctx, flight); err != nil {
				return Key{}, err
			}
			continue
		}
		now := d.options.Now()
		key, err := l.find(keyid, now)
		if asked && !l.asked.IsZero() || !l.due(err != nil, now) {
			d.mu.Unlock()
			return key, err
		}
		select {
		case d.flights <- struct{}{}:
		default:
			d.mu.Unlock()
			if err == nil {
				return key, nil
			}
			return Key{}, refuse(ErrDirectory, "too many key directories are being read at the moment").
				Try("send the request again in a few seconds")
		}
		flight := make(chan struct{})
		l.flight = flight
		d.mu.Unlock()
		// All waiting requests share the fetch, so it does not end with the request that began it, but with its own timeout.
		go d.fetchInFlight(context.WithoutCancel(ctx), l)
		if err := wait(ctx, flight); err != nil {
			return Key{}, err
		}
	}
}

func wait(ctx context.Context, flight <-chan struct{}) error {
	select {
	case <-flight:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Directory) fetchInFlight(ctx context.Context, l *listing) {
	ctx, cancel := context.WithTimeout(ctx, d.options.Timeout)
	defer cancel()
	keys, age, err := d.fetch(ctx, l.host)
	<-d.flights

	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.options.Now()
	l.asked, l.err = now, err
	if err == nil {
		l.keys, l.read, l.fresh = keys, now, now.Add(max(age, rest))
	} else {
		l.fresh = now.Add(rest)
	}
	close(l.flight)
	l.flight = nil
}

// listing returns the listing of a host, and removes those unused for longest, but none being fetched.
func (d *Directory) listing(host string) *listing {
	if l, ok := d.hosts[host]; ok {
		d.order.MoveToFront(l.element)
		return l
	}
	for e := d.order.Back(); e != nil && len(d.hosts) >= maxHosts; {
		old, before := e.Value.(*listing), e.Prev()
		if old.flight == nil {
			d.order.Remove(e)
			delete(d.hosts, old.host)
		}
		e = before
	}
	l := &listing{host: host}
	l.element = d.order.PushFront(l)
	d.hosts[host] = l
	return l
}

// due reports whether the host should be asked. One asked in the future was asked by a clock that was set back since.
func (l *listing) due(missing bool, now time.Time) bool {
	return l.asked.IsZero() || now.Before(l.asked) || !now.Before(l.fresh) || missing && !now.Before(l.asked.Add(rest))
}

func (l *listing) find(keyid string, now time.Time) (Key, error) {
	if !l.read.IsZero() && now.Before(l.read.Add(keepAge)) {
		for _, k := range l.keys {
			if k.ID != keyid {
				continue
			}
			if k.bad != "" {
				return Key{}, refuse(ErrKey, "the key %s in the directory of %s cannot be used: %s", keyid, l.host, k.bad).
					Try("make a new Ed25519 key pair and publish its public half")
			}
			if now.Before(k.From) || !k.Until.IsZero() && !now.Before(k.Until) {
				return Key{}, refuse(ErrKey, "the key %s in the directory of %s is not valid at this time", keyid, l.host).
					Try("correct its nbf and exp, or publish another key")
			}
			return k, nil
		}
	}
	if l.err != nil {
		return Key{}, l.err
	}
	return Key{}, refuse(ErrKey, "the directory of %s does not list an Ed25519 key with the thumbprint %s", l.host, fault.Clip(keyid, maxQuoted)).
		Try("publish the key at https://%s%s; after a change wait %d seconds", l.host, Path, int(rest/time.Second))
}

// markAttested marks the keys of a directory that have signed the response that lists them, which proves that the holder of
// the private key means it to be published at this host. A bad signature has no other effect.
func markAttested(keys []Key, response *message, body []byte, now time.Time) {
	why := "the directory response has no signature by this key"
	inputs, err := structured.ParseDictionary(response.header.Values("Signature-Input")...)
	if err != nil {
		why, inputs = "the Signature-Input of the directory response cannot be read: "+err.Error(), nil
	}
	for i := range keys {
		keys[i].Why = why
	}
	for _, input := range inputs {
		if tag, _ := input.Params.Get("tag"); !input.IsList || tag != structured.Text(DirectoryTag) {
			continue
		}
		keyid, _ := input.Params.Get("keyid")
		for i := range keys {
			if k := &keys[i]; !k.Attested && keyid == structured.Text(k.ID) {
				if err := checkAttestation(k, input, response, body, now); err != nil {
					k.Why = err.Error()
				} else {
					k.Attested, k.Why = true, ""
				}
			}
		}
	}
}

// checkAttestation checks one signature on a directory response. It must cover the authority that was asked. The content digest
// is checked if the signature covers it: newer agents cover it and older ones do not.
func checkAttestation(k *Key, input structured.Member, response *message, body []byte, now time.Time) error {
	var s Signature
	if err := identity(input.Params, &s); err != nil {
		return err
	}
	if err := checkTimes(&s, now, DefaultLimits.Skew); err != nil {
		return err
	}
	mac, err := signatureBytes(response.header.Values("Signature"), input.Key)
	if err != nil {
		return err
	}
	bound, digested := false, false
	for _, item := range input.List {
		c, err := readComponent(item)
		if err != nil {
			return err
		}
		bound = bound || c.name == "@authority" && c.request
		digested = digested || c.name == "content-digest" && !c.request
	}
	if !bound {
		return refuse(ErrCoverage, `the signature on the directory response does not cover "@authority";req`)
	}
	text, err := signatureBase(response, input)
	if err != nil {
		return err
	}
	if digested && !digestMatches(response.header.Values("Content-Digest"), body) {
		return refuse(ErrMismatch, "the Content-Digest of the directory response does not match its content")
	}
	if !ed25519.Verify(k.Public, text, mac) {
		return refuse(ErrMismatch, "the signature on the directory response does not match")
	}
	return nil
}

// digestMatches compares a Content-Digest (RFC 9530) with the content: one digest of a known kind, and all known ones match.
func digestMatches(lines []string, body []byte) bool {
	digests, err := structured.ParseDictionary(lines...)
	if err != nil {
		return false
	}
	known := false
	for _, m := range digests {
		var sum []byte
		switch m.Key {
		case "sha-256":
			s := sha256.Sum256(body)
			sum = s[:]
		case "sha-512":
			s := sha512.Sum512(body)
			sum = s[:]
		default:
			continue
		}
		if got, _ := m.Value.Bytes(); subtle.ConstantTimeCompare(got, sum) != 1 {
			return false
		}
		known = true
	}
	return known
}
