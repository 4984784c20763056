package serve

import (
	"context"
	"net/netip"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig"
)

// localKeys finds the keys of agents at localhost while the data is invented, and otherwise as every service does.
type localKeys struct {
	httpsig.Keys
	local    httpsig.Keys
	invented func() bool
}

func (k localKeys) Key(ctx context.Context, host, keyid string) (httpsig.Key, error) {
	if k.invented() {
		return k.local.Key(ctx, host, keyid)
	}
	return k.Keys.Key(ctx, host, keyid)
}

// allowLocal sets up Options.LocalDirectories, and refuses it to a service that others reach, or that has real data: whoever sends
// a request could make it call the ports of its machine.
func (s *Server) allowLocal() error {
	if !s.opt.LocalDirectories {
		return nil
	}
	var at netip.AddrPort
	if s.entrance.public != nil {
		at, _ = netip.ParseAddrPort(s.entrance.public.Addr().String()) // of another network: not loopback
	}
	if !at.Addr().IsLoopback() || len(s.opt.Proxies) > 0 || s.opt.Directory != nil {
		return fault.New("bad_flag", "--allow-local-directories is for a demonstration that only this machine reaches").Try("--addr 127.0.0.1:8080, without --proxy")
	}
	if !s.invented() {
		return fault.New("bad_flag", "--allow-local-directories is for invented data, and this data is real").Try("grantgraph demo --allow-local-directories")
	}
	s.opt.Directory = localKeys{
		httpsig.NewDirectory(httpsig.Options{Now: s.opt.Clock}), httpsig.NewDirectory(httpsig.Options{Now: s.opt.Clock, Local: true}), s.invented,
	}
	return nil
}

func (s *Server) invented() bool {
	d, release := s.holder.Acquire()
	defer release()
	return d.Snapshot.Manifest.Invented
}
