package figure

import (
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/replay/diff"
)

// TestLanes: both signs of a direction share a mark, lanes are those of the purposes, and the options of least
// influence are left out and counted.
func TestLanes(t *testing.T) {
	f := Ancestry{Option: "a:2/1+", Options: []AncestryOption{{"a:2/1+", 2, 1, 0}},
		Descendants: []AncestryOption{{"a:3/1-", 3, 0.2, 1}},
		lanes: []diff.Lineage{{First: 1, Purposes: []string{"a:1/2+", "a:2/1+", "a:3/1+"}},
			{First: 0, Purposes: []string{"a:0/1+"}}, {First: 0, Purposes: []string{"a:0/2+"}}}}
	f.Options = append(f.Options, AncestryOption{"a:0/1-", 0, 0.3, 1}, AncestryOption{"a:0/1+", 0, 0.2, 1},
		AncestryOption{"a:1/2-", 1, 0.1, 1}, AncestryOption{"a:0/2+", 0, minInfluence / 2, 1})
	lanes, left := f.drawnLanes()
	if left != 1 || len(lanes) != 2 || lanes[0].name != "0/1" || lanes[1].name != "1/2" || lanes[1].last != 3 {
		t.Fatalf("%d are left out of %+v", left, lanes)
	}
	if n := lanes[0].nodes; len(n) != 1 || n[0].signs != "±" || n[0].influence != 0.5 || n[0].kind != nodeAncestor {
		t.Errorf("the first lane has %+v", n)
	}
	if n := lanes[1].nodes; len(n) != 3 || n[0].kind != nodeOption || n[1].signs != "−" || n[2].kind != nodeDescendant {
		t.Errorf("the second lane has %+v", n)
	}
	for i := range 3 * maxOptions {
		f.Options = append(f.Options, AncestryOption{fmt.Sprintf("a:0/%d+", i+3), 0, 0.05, 1})
	}
	if lanes, left := f.drawnLanes(); len(lanes) > maxOptions+2 || left != 2*maxOptions+1+3 {
		t.Errorf("%d lanes, without %d options", len(lanes), left)
	}
}
