package draw

import (
	"html/template"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sample is a picture of every kind with difficult input.
type sample struct {
	name string
	html template.HTML
}

// large is a sample without a golden file.
const large = "network"

func decade(first int, amounts ...int64) (list []Year) {
	for i, a := range amounts {
		y := Year{Year: first + i, Amount: a}
		if a > 0 {
			y.Grants = 1 + a/1_000_000
		}
		list = append(list, y)
	}
	return list
}

func points(first int, amounts ...int64) (list []Point) {
	for i, a := range amounts {
		list = append(list, Point{first + i, a})
	}
	return list
}

// names are names of invented organizations, from short to long.
var names = []string{"Harlow Fund", "Mapleton Community Foundation", "Friends of the Harlow County Library and Reading Rooms", "YMCA of Greater Mapleton", "Birch", "Lakeside Food Bank of the Three Counties Inc",
	"Östersund Heritage Society", "The Quillby Family Charitable Trust of 1952", "Second Helpings", "Riverbend Land Conservancy"}

func neighbors(n int) (ring []Node, links []Link) {
	for i := range n {
		node := Node{Label: names[i*7%len(names)], Href: "/org/00-000000" + string(rune('0'+i%10)), Kind: [...]Kind{Recipient, Funder, Recipient, CoFunder, Recipient, Board, Funder}[i%7], Amount: int64(i*i+1) * 41_000}
		if node.Kind == Board {
			node.Amount = 0
			links = append(links, Link{From: i, To: Center, Tie: "2 people on both boards"})
		}
		ring = append(ring, node)
		switch node.Kind {
		case Recipient:
			links = append(links, Link{From: Center, To: i, Amount: node.Amount})
		case Funder:
			links = append(links, Link{From: i, To: Center, Amount: node.Amount})
		case CoFunder:
			links = append(links, Link{From: i, To: i - 1, Amount: node.Amount / 3}, Link{From: i, To: max(0, i-3), Amount: node.Amount / 2})
		}
	}
	return ring, links
}

func samples() []sample {
	ten := decade(2014, 1_200_000, 3_400_000, 0, 2_750_000, 8_100_000, 12_345_678, 9_900_000, 15_020_000, 13_700_000, 4_100_000)
	ten[9].Partial, ten[9].Note = true, "returns are still arriving"
	few := decade(2021, 25_000, 1_000, 999_960)
	long := decade(1990, make([]int64, 40)...)
	for i := range long {
		long[i].Amount, long[i].Grants = int64(i*i)*31_000, int64(i)
	}
	got := decade(2016, 400_000, 650_000, 0, 720_000, 1_900_000, 2_250_000, 310_000)
	got[6].Partial = true
	areas := []Area{{"OH", 12_400_000, 310, "/place/oh"}, {"ca", 99_000_000, 2011, "/place/ca"}, {Abroad, 450_000, 12, ""}, {Unknown, 1_200, 3, "/explore?state=unknown"}, {"ZZ", 5, 1, ""}, {"PR", 80_000, 4, "/place/pr"}, {"GU", 9_000, 1, ""}, {"AE", 700, 1, "/place/ae"}}
	amount := int64(1_000)
	for _, code := range strings.Fields("NY TX FL WA OR IL MI PA NJ MA CT VA NC GA MN WI CO AZ UT KY TN AL DC MD HI AK") {
		areas = append(areas, Area{code, amount, amount / 900, "/place/" + strings.ToLower(code)})
		amount = amount * 3 / 2
	}
	center := Node{Label: "Harlow County Community Foundation for Arts, Letters and Sciences", Href: "/org/00-0000000"}
	ring, links := neighbors(40)
	small, smallLinks := neighbors(7)
	return []sample{
		{"years", Years(ten)},
		{"years-few", Years(few)},
		{"years-one", Years(few[:1])},
		{"years-many", Years(long)},
		{"flows", TwoFlows(ten, got)},
		{"flows-received", TwoFlows(nil, got)},
		{"bars", Dollars.Bars([]Bar{
			{"Food banks, pantries", "/cause/K", 98_765_432, 1234, false},
			{"Human services: multipurpose organizations that help families in many ways at once, and more", "/cause/P", 54_000_000, 800, false},
			{"Arts & culture <old>", "/cause/A?x=1&y=2", 1_200_000, 1, false},
			{"Nothing", "", 0, 0, false},
			{"Cause unknown", "", 30_000_000, 410, true},
		})},
		{"map", Dollars.Map(areas)},
		{"map-two", Dollars.Map([]Area{{"OH", 100, 1, ""}, {"NY", 100, 1, "/place/ny"}, {"CA", 2_000, 2, ""}})},
		{"spark", Spark(ten)},
		{"lines", Dollars.Line([]Series{
			{"Revenue", points(2014, 4_100_000, 4_400_000, 5_200_000, 4_900_000, 5_600_000, 7_900_000, 7_100_000, 8_400_000, 8_250_000)},
			{"Expenses", points(2014, 3_900_000, 4_450_000, 4_700_000, 5_300_000, 5_500_000, 6_600_000, 7_300_000, 7_900_000, 8_200_000)},
			{"Assets", append(points(2015, 9_800_000, 9_900_000), points(2019, 11_300_000, 13_000_000, 12_800_000)...)},
		})},
		{"network", Network(center, ring, links)},
		{"network-small", Network(Node{Label: "Birch Fund"}, small, smallLinks)},
		{"network-alone", Network(Node{Label: "Birch Fund"}, nil, nil)},
		{"lines-below", Dollars.Line([]Series{{"Net assets at the end of the year & more", points(2020, -250_000, 120_000, -40_000)}, {"Debt", points(2022, 90_000)}, {"A", nil}, {"B", nil}, {"C<", nil}})},
	}
}

// TestGallery writes a page with every picture to the file that DRAW_GALLERY names.
func TestGallery(t *testing.T) {
	path := os.Getenv("DRAW_GALLERY")
	if path == "" {
		path = filepath.Join(t.TempDir(), "gallery.html")
	}
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Pictures</title><link rel="stylesheet" href="style.css"></head><body><main>`)
	for _, s := range samples() {
		b.WriteString("<section><h2>" + s.name + "</h2>" + string(s.html) + "</section>")
	}
	b.WriteString("</main></body></html>")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
