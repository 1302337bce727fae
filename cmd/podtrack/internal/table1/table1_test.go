package table1

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// printed is Table 1 of the paper, as its authors typeset it, without the
// columns of the row's name.
const printed = `
full    purposes       - & (-) & 5.9 & (5.5) & 7.7 & (10.3) & 8.5 & (8.8) & 9.2 & (12.6) & 9.5 & (11.4)
full    option_length  - & (-) & 12.1 & (1.1) & 19.2 & (2.1) & 21.6 & (2.0) & 25.5 & (2.0) & 27.8 & (1.7)
full    distance       29.3 & (18.2) & 168.7 & (222.5) & 240.1 & (287.3) & 269.9 & (311.5) & 287.1 & (436.9) & ` +
	`298.9 & (320.8)
partial purposes       - & (-) & 3.5 & (20.9) & 5.2 & (14.1) & 6.2 & (19.4) & 6.6 & (30.2) & 6.8 & (21.6)
partial option_length  - & (-) & 20.4 & (1.8) & 30.5 & (1.4) & 33.5 & (2.1) & 35.9 & (1.7) & 37.7 & (1.7)
partial distance       29.3 & (18.2) & 212.8 & (326.9) & 314.9 & (314.3) & 301.8 & (434.3) & 352.4 & (464.1) & ` +
	`301.1 & (360.0)
`

// TestPaperNumbers compares every number of the code's table with the printed one.
func TestPaperNumbers(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(printed), "\n")
	if len(lines) != len(Observabilities)*len(Metrics) {
		t.Fatalf("%d rows", len(lines))
	}
	for i, line := range lines {
		o, metric := Observabilities[i/len(Metrics)], i%len(Metrics)
		words := strings.Fields(line)
		if words[0] != o.Name || words[1] != Metrics[metric].Name {
			t.Fatalf("row %d is %s %s, want %s %s", i, o.Name, Metrics[metric].Name, words[0], words[1])
		}
		cells := strings.Split(strings.Join(words[2:], ""), "&")
		if len(cells) != 2*Columns || len(o.Paper[metric]) != Columns {
			t.Fatalf("row %d has %d cells", i, len(cells))
		}
		for c, got := range o.Paper[metric] {
			want := cells[2*c] + cells[2*c+1]
			if got == nil {
				if want != "-(-)" {
					t.Errorf("%s, %s, column %d: nothing, want %s", o.Name, words[1], c, want)
				}
				continue
			}
			if have := fmt.Sprintf("%.1f(%.1f)", got.Mean, got.SD); have != want {
				t.Errorf("%s, %s, column %d: %s, want %s", o.Name, words[1], c, have, want)
			}
		}
	}
	for i, want := range []int64{0, 3} {
		if Observabilities[i].Hide != want {
			t.Errorf("%s hides %d bits", Observabilities[i].Name, Observabilities[i].Hide)
		}
	}
}

// TestZ compares z with numbers computed by hand.
func TestZ(t *testing.T) {
	for _, c := range []struct {
		name     string
		mean, sd float64
		count    bool
		n        int
		paper    float64
		want     float64 // NaN for none
	}{
		{"as many runs", 10, 2, false, 30, 9, 1.9364916731},        // 1 / (2·√(1/30 + 1/30)) = 1 / 0.5163977795
		{"fewer runs", 5, 3, false, 10, 8, -2.7386127875},          // −3 / (3·√(1/10 + 1/30)) = −1 / 0.3651483717
		{"a count", 7, 2, true, 30, 9, -3.8729833462},              // its deviation is over the floor
		{"a count's floor", 6.1, 0.1, true, 30, 5.9, 2.6832815730}, // 0.2 / (√(1/12)·√(2/30)) = 0.2 / 0.0745355992
		{"a count without spread", 6, 0, true, 30, 6, 0},
		{"no count, no floor", 6.1, 0.1, false, 30, 5.9, 7.7459666924}, // 0.2 / (0.1·√(2/30))
		{"no spread", 6, 0, false, 30, 5, math.NaN()},
	} {
		got := z(c.mean, c.sd, c.count, c.n, c.paper)
		switch {
		case got == nil || math.IsNaN(c.want):
			if (got == nil) != math.IsNaN(c.want) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		case math.Abs(*got-c.want) > 1e-9:
			t.Errorf("%s: %.10f, want %.10f", c.name, *got, c.want)
		}
	}
}

// text returns an optional number.
func text(x *float64) string {
	if x == nil {
		return "–"
	}
	return strconv.FormatFloat(*x, 'f', 4, 64)
}

// TestRows: column c takes its purposes from iteration c − 1, its length and distance from iteration c.
func TestRows(t *testing.T) {
	var measures []group.Series
	for i, metric := range Metrics {
		of := group.Series{Measure: metric.Name}
		for k := range Columns {
			at := float64(100*i + 10*k)
			of.Iterations = append(of.Iterations, group.Cell{K: k, Summary: stats.Summarise([]float64{at, at + 1, at + 2})})
		}
		measures = append(measures, of)
	}
	measures[1].Iterations[2].Summary = stats.Summarise(nil) // no run called an option
	measures[2].Iterations[3].Summary = stats.Summarise([]float64{7})
	got := rows(Observabilities[0], measures)
	for _, c := range []struct {
		metric, column int
		want           string // n, mean, sd, the paper's mean and sd
	}{
		{0, 0, "0 – – – –"},
		{0, 1, "3 1.0000 1.0000 5.9000 5.5000"},
		{0, 5, "3 41.0000 1.0000 9.5000 11.4000"},
		{1, 0, "0 – – – –"},
		{1, 1, "3 111.0000 1.0000 12.1000 1.1000"},
		{1, 2, "0 – – 19.2000 2.1000"},
		{2, 0, "3 201.0000 1.0000 29.3000 18.2000"},
		{2, 3, "1 7.0000 – 269.9000 311.5000"},
		{2, 4, "3 241.0000 1.0000 287.1000 436.9000"},
	} {
		x := got[c.metric].Cells[c.column]
		if have := fmt.Sprintf("%d %s %s %s %s", x.N, text(x.Mean), text(x.SD), text(x.PaperMean),
			text(x.PaperSD)); have != c.want || x.Column != c.column {
			t.Errorf("%s, column %d: %s, want %s", got[c.metric].Metric, c.column, have, c.want)
		}
		if (x.Z == nil) != (x.SD == nil) {
			t.Errorf("%s, column %d: z %s", got[c.metric].Metric, c.column, text(x.Z))
		}
	}
}

func TestPaperFor(t *testing.T) {
	words := func(means []*float64) string {
		var ws []string
		for _, m := range means {
			ws = append(ws, text(m))
		}
		return strings.Join(ws, " ")
	}
	spec := func(hide int64, change func(*schema.Spec)) schema.Spec {
		s := pod.PaperSpec()
		s.Env.Params["hide"] = hide
		if change != nil {
			change(&s)
		}
		return s
	}
	published := func(s *schema.Spec) { s.Basis, s.Dataset, s.Seed = schema.RowsOfV, schema.Cumulative, 12345 }
	for _, c := range []struct {
		spec schema.Spec
		k    int
		want string // purposes of the next column, length and distance of this one
	}{
		{spec(0, nil), 0, "5.9000 – 29.3000"},
		{spec(0, nil), 1, "7.7000 12.1000 168.7000"},
		{spec(0, nil), 4, "9.5000 25.5000 287.1000"},
		{spec(0, nil), 5, "– 27.8000 298.9000"},
		{spec(0, nil), 6, "– – –"},
		{spec(0, published), 2, "8.5000 19.2000 240.1000"},
		{spec(3, nil), 0, "3.5000 – 29.3000"},
		{spec(3, published), 5, "– 37.7000 301.1000"},
	} {
		f := PaperMeans(c.spec)
		if f == nil {
			t.Errorf("the paper has nothing for %v", c.spec)
			continue
		}
		if got := words(f(c.k)); got != c.want {
			t.Errorf("%s, hide %d, iteration %d: %s, want %s", c.spec.Reading(), c.spec.Env.Params["hide"], c.k, got,
				c.want)
		}
	}
	for name, other := range map[string]schema.Spec{
		"other steps":     spec(0, func(s *schema.Spec) { s.Steps = 999 }),
		"two bits hidden": spec(2, nil),
		"other gamma":     spec(3, func(s *schema.Spec) { s.Gamma = 0.9 }),
		"a mixed reading": spec(0, func(s *schema.Spec) { s.Dataset = schema.Cumulative }),
	} {
		if PaperMeans(other) != nil {
			t.Errorf("%s: this is not the paper's experiment", name)
		}
	}
}

// synthetic returns a table of one reading with these z in each of two settings, from
// column 0 on.
func synthetic(runs int, zs ...float64) Table {
	t := Table{Runs: runs}
	for _, o := range []string{"full", "partial"} {
		row := Row{Metric: "distance"}
		for c, z := range zs {
			cell := Cell{Column: c}
			if !math.IsNaN(z) {
				cell.Z = new(z)
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Settings = append(t.Settings, Setting{Reading: "as-written", Observability: o, Metrics: []Row{row}})
	}
	return t
}

func verdictOn(t Table, reading string) Verdict {
	all := t.verdicts()
	return all[slices.IndexFunc(all, func(v Verdict) bool { return v.Reading == reading })]
}

// TestVerdict takes the critical values of Student's t from printed tables:
// 3.038 for 29 degrees of freedom and 0.25 % on one side, 2.045 for 2.5 %,
// 12.706 for one degree and 2.5 %.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name        string
		table       Table
		comparisons int
		under3      int
		largest     float64
		where       string
		chance      float64 // NaN where no printed table has it
		consistent  bool
	}{
		{"near", synthetic(30, 99, -1, 2, -3.03, 0, 1), 10, 8, 3.03, "full, distance, iteration 3", 3.038, true},
		{"far", synthetic(30, 0, -1, 2, -3.05, 0, 1), 10, 8, 3.05, "full, distance, iteration 3", 3.038, false},
		{"3 is not under 3", synthetic(30, 0, 3, 1, 1, 1, 1), 10, 8, 3, "full, distance, iteration 1", 3.038, true},
		{
			"some without z", synthetic(30, 0, math.NaN(), 1, math.NaN(), 1, 1), 6, 6, 1,
			"full, distance, iteration 2", math.NaN(), true,
		},
	} {
		v := verdictOn(c.table, "as-written")
		if v.Reading != "as-written" || v.Comparisons != c.comparisons || v.Under3 != c.under3 ||
			v.Largest != c.largest || v.Where != c.where || v.Consistent == nil || *v.Consistent != c.consistent {
			t.Errorf("%s: %+v", c.name, v)
		}
		if math.Abs(v.Chance-c.chance) > 0.01 {
			t.Errorf("%s: chance %.4f, want %.4f", c.name, v.Chance, c.chance)
		}
		if other := verdictOn(c.table, "as-published"); other.Comparisons != 0 {
			t.Errorf("%s: %d comparisons of a reading that is not there", c.name, other.Comparisons)
		}
		if says := v.String(); strings.Contains(says, "are consistent with") != c.consistent ||
			strings.Contains(says, "are not consistent with") == c.consistent {
			t.Errorf("%s: %s", c.name, says)
		}
	}
	one := synthetic(30, 0, 2.04)
	one.Settings = one.Settings[:1]
	if v := verdictOn(one, "as-written"); math.Abs(v.Chance-2.045) > 0.001 || v.Consistent == nil ||
		!*v.Consistent {
		t.Errorf("one comparison: %+v", v)
	}
	one.Runs = 2
	if v := verdictOn(one, "as-written"); math.Abs(v.Chance-12.706) > 0.001 || v.Consistent != nil ||
		!strings.Contains(v.String(), "too few") {
		t.Errorf("one comparison of two runs: %s, %+v", v, v)
	}
	one.Runs = 9
	if v := verdictOn(one, "as-written"); v.Consistent != nil {
		t.Errorf("nine runs are too few: %s", v)
	}
	one.Runs = 10
	if v := verdictOn(one, "as-written"); v.Consistent == nil {
		t.Errorf("ten runs are not too few: %s", v)
	}
}
