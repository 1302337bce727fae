package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay/diff"
)

// lanesAnswer is the document of /lanes.
type lanesAnswer struct {
	Total, Iterations int
	Lanes             []diff.Lane
}

func lanesOf(t *testing.T, h http.Handler, query string) (a lanesAnswer) {
	t.Helper()
	w := ask(h, "/api/runs/@1/lanes?"+query)
	if w.Code != 200 {
		t.Fatalf("%s: status %d: %s", query, w.Code, w.Body)
	}
	ok(t, json.Unmarshal(w.Body.Bytes(), &a))
	return a
}

// TestLanes: the lanes are the lineages with the options of all iterations, in parts as well as whole, and a search
// finds those that it names, in its order.
func TestLanes(t *testing.T) {
	h := New(optionsFor(filled(t)))
	var both diff.Report
	ok(t, json.Unmarshal(ask(h, "/api/diff?a=@1&b=@1").Body.Bytes(), &both))
	lines := both.Lineages.A
	all := lanesOf(t, h, "")
	if all.Total != len(lines) || len(all.Lanes) != len(lines) || all.Iterations != 3 {
		t.Fatalf("%d lanes of %d lineages, %d iterations", all.Total, len(lines), all.Iterations)
	}
	options, names := 0, map[string]bool{}
	for i, l := range all.Lanes {
		if names[l.Name] {
			t.Errorf("two lanes are called %s", l.Name)
		}
		names[l.Name] = true
		if l.First != lines[i].First || len(l.Cells) != len(lines[i].Purposes) || l.Name == "" || len(l.Strip) != 7 {
			t.Errorf("lane %d: %+v, lineage %+v", i, l, lines[i])
		}
		for n, c := range l.Cells {
			options += len(c.Signs)
			want := fmt.Sprintf(":%d/%d+", l.First+n, c.J)
			if !strings.HasSuffix(lines[i].Purposes[n], want) || c.Signs != "+-" {
				t.Errorf("lane %d: %s%s, lineage %s", i, want, c.Signs, lines[i].Purposes[n])
			}
		}
	}
	var table []struct{ Number int }
	ok(t, json.Unmarshal(ask(h, "/api/runs/@1/options").Body.Bytes(), &table))
	if options != len(table) {
		t.Errorf("the lanes have %d options of %d", options, len(table))
	}
	for i := range all.Lanes {
		part := lanesOf(t, h, fmt.Sprintf("offset=%d&limit=1", i))
		if len(part.Lanes) != 1 || part.Total != all.Total || part.Lanes[0].Name != all.Lanes[i].Name {
			t.Errorf("part %d: %+v", i, part)
		}
	}
	last := all.Lanes[len(all.Lanes)-1]
	for find, want := range map[string]string{
		"0/1":         all.Lanes[0].Name,
		"0/2-,0/1%2B": all.Lanes[1].Name + "," + all.Lanes[0].Name,
		"%230":        all.Lanes[0].Name,
		"%233":        all.Lanes[1].Name,
		"%239999":     "",
		"9/9":         "",
		"nothing":     "",
		fmt.Sprintf("%d/%d", last.First, last.Cells[0].J): last.Name,
	} {
		var names []string
		for _, l := range lanesOf(t, h, "find="+find).Lanes {
			names = append(names, l.Name)
		}
		if got := strings.Join(names, ","); got != want {
			t.Errorf("%s finds %q, want %q", find, got, want)
		}
	}
	if n := lanesOf(t, h, "find=BIT").Total; n != all.Total {
		t.Errorf("%d of %d lanes have a bit in their names", n, all.Total)
	}
	for _, query := range []string{"limit=501", "limit=-1", "offset=x", "find=1&find=2", "sort=j",
		"find=" + strings.Repeat("0/1,", 1100)} {
		wantFailure(t, ask(h, "/api/runs/@1/lanes?"+query), 400)
	}
	wantFailure(t, ask(h, "/api/runs/nobody/lanes"), 404)
}
