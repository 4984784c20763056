package draw

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// frame is the rectangle of a drawn item.
type frame struct{ left, top, right, bottom float64 }

func (a frame) meets(b frame) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

// frames are the rectangles of a layout: the center, then the mark and label of
// each organization.
func (l layout) frames() []frame {
	m := l.middle
	all := []frame{{m.x - m.r, m.y - l.half, m.x + m.r, m.y + l.half}}
	for _, p := range l.ring {
		left, right := p.textX, p.textX+p.textWidth
		if p.ends {
			left, right = p.textX-p.textWidth, p.textX
		}
		all = append(all, frame{p.x - p.r, p.y - p.r, p.x + p.r, p.y + p.r}, frame{left, p.y - nodeText*.6, right, p.y + nodeText*.6})
	}
	return all
}

// TestNetworkLayout checks that nothing overlaps or sticks out, for networks of
// every size with names of all lengths.
func TestNetworkLayout(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range MaxRing + 1 {
		for range 20 {
			center := Node{Label: strings.Repeat("Wide Name ", random.IntN(9))}
			ring := make([]Node, n)
			for i := range ring {
				ring[i] = Node{Label: strings.Repeat([]string{"Harlow ", "W", "日本", "i i "}[random.IntN(4)], random.IntN(40)), Kind: Kind(random.IntN(int(kinds))), Amount: []int64{0, 7, random.Int64N(1 << 40), 1<<63 - 1}[random.IntN(4)]}
			}
			if random.IntN(3) == 0 { // all of one kind, so that one side is empty at first
				for i := range ring {
					ring[i].Kind = ring[0].Kind
				}
			}
			for name, l := range map[string]layout{"ring": ringOf(center, ring), "arcs": arcsOf(center, ring)} {
				all := l.frames()
				for i, a := range all {
					if a.left < 0 || a.top < 0 || a.right > l.width || a.bottom > l.height {
						t.Fatalf("%s of %d: %v is outside of %v by %v", name, n, a, l.width, l.height)
					}
					for _, b := range all[:i] {
						if a.meets(b) {
							t.Fatalf("%s of %d: %v and %v meet", name, n, a, b)
						}
					}
				}
			}
		}
	}
}

// TestNetworkBounds checks that a network is cut at its limits, and says so.
func TestNetworkBounds(t *testing.T) {
	t.Parallel()
	ring := make([]Node, 3*MaxRing)
	var links []Link
	for i := range ring {
		ring[i] = Node{Label: "Birch", Kind: Kind(i)}
		for j := range ring {
			links = append(links, Link{From: i, To: j, Amount: int64(i * j)}, Link{From: -j, To: i})
		}
	}
	html := string(Network(Node{Label: "Harlow"}, ring, links))
	wellFormed(t, html)
	if want := "80 more organizations are not drawn."; !strings.Contains(html, want) {
		t.Errorf("does not say %q", want)
	}
	if n := strings.Count(html, `class="head"`); n > 2*MaxLinks+1 {
		t.Errorf("%d links are drawn", n)
	}
	if len(html) > 400_000 {
		t.Errorf("%d bytes", len(html))
	}
}
