package main

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
)

// whole is whether the whole proof is asked for (make fleet), not the short form
// that runs with all tests.
func whole() bool { return os.Getenv("GRANTGRAPH_TEST_GATEWAY") != "" }

// TestFleetUnderLoad is the proof that several machines are one service. Clients
// ask through the load balancer all the time while things happen to the rest. No
// answer is wrong, none is uncharged, and none fails but those that needed what
// was gone, in the words that are documented for it.
func TestFleetUnderLoad(t *testing.T) {
	t.Parallel()
	nodes, clients := 2, 4
	if whole() {
		nodes, clients = 3, 6
	}
	f := startFleet(t, nodes)
	l := newLoad(t, f, clients, 2, whole())
	version := f.version(t)
	l.learn(t, f, version)
	for _, n := range f.nodes {
		f.start(t, n)
	}
	f.awaitAll(t, version)
	stop := l.start(40 * time.Millisecond)
	defer stop()
	l.event(t, &fleetEvent{name: "nothing happens"}, func() { l.more(t, 100) })

	moments := rand.New(rand.NewPCG(seed(t), 3))
	l.event(t, &fleetEvent{name: "a node is killed and started again", cut: true}, func() {
		victim := f.nodes[moments.IntN(len(f.nodes))]
		victim.kill(t)
		l.more(t, 100)
		f.start(t, victim)
	})
	l.event(t, &fleetEvent{name: "all are restarted, one after the other"}, func() {
		for _, n := range f.nodes {
			n.stop(t)
			f.start(t, n)
		}
	})
	l.event(t, &fleetEvent{name: "a build is published"}, func() {
		world.Other.Publish(t, f.from)
		next := f.version(t)
		l.learn(t, f, next)
		f.store.publish(t, "--data", f.from)
		f.awaitAll(t, next)
	})
	stop()
	l.settle(t, f)
	for _, n := range f.nodes {
		n.stop(t)
	}
}
