package terminal

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/each"
	"grantgraph/internal/money"
)

// Count writes n with separators between thousands.
func Count[N ~int | ~int32 | ~int64 | ~uint64 | ~uint32](n N) string {
	return money.Grouped(int64(n))
}

// Percent writes part of whole as a percentage, or a dash when there is no whole.
func Percent[N ~int | ~int64](part, whole N) string {
	if whole == 0 {
		return "–"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 1, 64) + " %"
}

// Bytes writes a number of bytes in the largest fitting binary unit.
func Bytes(n int64) string {
	const unit = 1024
	if n < unit {
		return strconv.FormatInt(n, 10) + " B"
	}
	v, suffix := float64(n)/unit, "KiB"
	for _, s := range []string{"MiB", "GiB", "TiB"} {
		if v < unit {
			break
		}
		v, suffix = v/unit, s
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + suffix
}

// Table prints rows in aligned columns. A column whose header starts with '>'
// is set flush right. The first column is indented by two spaces.
type Table struct {
	header []string
	rows   [][]string
}

func NewTable(header ...string) *Table { return &Table{header: header} }

// Add adds a row of texts and whole numbers, which it writes with separators.
func (t *Table) Add(cells ...any) {
	t.rows = append(t.rows, each.Of(cells, cellText))
}

func cellText(cell any) string {
	switch v := reflect.ValueOf(cell); {
	case v.CanInt():
		return Count(v.Int())
	case v.CanUint():
		return Count(v.Uint())
	default:
		return v.String()
	}
}

func (t *Table) Len() int { return len(t.rows) }

func (t *Table) Print(w io.Writer) {
	width := make([]int, len(t.header))
	right := make([]bool, len(t.header))
	titled := false
	head := make([]string, len(t.header))
	for i, h := range t.header {
		right[i] = strings.HasPrefix(h, ">")
		head[i] = strings.TrimPrefix(h, ">")
		titled = titled || head[i] != ""
		width[i] = utf8.RuneCountInString(head[i])
	}
	for _, r := range t.rows {
		for i, c := range r {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	line := func(cells []string) {
		var b strings.Builder
		b.WriteString(" ")
		for i, c := range cells {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			b.WriteString(" ")
			if i > 0 {
				b.WriteString(" ")
			}
			if right[i] {
				b.WriteString(pad + c)
			} else {
				b.WriteString(c + pad)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	if titled {
		line(head)
		rule := make([]string, len(width))
		for i := range rule {
			rule[i] = strings.Repeat("─", width[i])
		}
		line(rule)
	}
	for _, r := range t.rows {
		line(r)
	}
}

// BarChart draws the share n/whole as a horizontal bar of at most width cells.
func BarChart(n, whole int64, width int) string {
	if whole <= 0 || n <= 0 {
		return ""
	}
	eighths := int(n * int64(width) * 8 / whole)
	const parts = " ▏▎▍▌▋▊▉"
	s := strings.Repeat("█", eighths/8)
	if r := eighths % 8; r > 0 {
		s += string([]rune(parts)[r])
	}
	return cmp.Or(s, "▏")
}
