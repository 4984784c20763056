package each

import (
	"slices"
	"strconv"
	"testing"
)

func TestEach(t *testing.T) {
	t.Parallel()
	if got := Of([]int{3, 1}, strconv.Itoa); !slices.Equal(got, []string{"3", "1"}) {
		t.Errorf("%q", got)
	}
	if got := Of(nil, strconv.Itoa); got == nil || len(got) != 0 {
		t.Errorf("of nothing: %#v", got)
	}
	if got := Append([]string{"a"}, []int{2}, strconv.Itoa); !slices.Equal(got, []string{"a", "2"}) {
		t.Errorf("%q", got)
	}
	if got := Append(nil, nil, strconv.Itoa); got != nil {
		t.Errorf("nothing to nothing: %#v", got)
	}
}
