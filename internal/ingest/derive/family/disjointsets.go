package family

// disjointSets is a union of disjoint sets. Nodes after the first listed ones connect sets but do not count toward
// the size of a family.
type disjointSets struct {
	parent []uint32
	weight []int32 // at the root of each set: how many listed nodes it holds
}

func newDisjointSets(listed, unlisted int) *disjointSets {
	w := &disjointSets{parent: make([]uint32, listed+unlisted), weight: make([]int32, listed+unlisted)}
	for i := range w.parent {
		w.parent[i] = uint32(i)
		if i < listed {
			w.weight[i] = 1
		}
	}
	return w
}

func (w *disjointSets) find(x uint32) uint32 {
	for w.parent[x] != x {
		w.parent[x] = w.parent[w.parent[x]]
		x = w.parent[x]
	}
	return x
}

// join merges two sets, unless both are large.
func (w *disjointSets) join(x, y uint32) {
	x, y = w.find(x), w.find(y)
	if x == y || w.weight[x] > maxJoined && w.weight[y] > maxJoined {
		return
	}
	if w.weight[x] < w.weight[y] {
		x, y = y, x
	}
	w.parent[y] = x
	w.weight[x] += w.weight[y]
}
