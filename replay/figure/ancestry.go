package figure

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
)

// Ancestry shows an option with the earlier options whose steps are its evidence, by iteration.
type Ancestry struct {
	Option  string           `json:"option"`
	Options []AncestryOption `json:"options"` // the option itself first, then the largest influence first
	Links   []AncestryLink   `json:"links"`
}

// AncestryOption is an option with its share of the evidence.
type AncestryOption struct {
	Option    string  `json:"option"`
	K         int     `json:"k"`
	Influence float64 `json:"influence"`
	Depth     int     `json:"depth"`
}

// AncestryLink is the share of the evidence for one option that was collected under another one,
// or under a primitive action.
type AncestryLink struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	Share float64 `json:"share"`
}

// NewAncestry returns the figure of an option's audit.
func NewAncestry(r *why.Report) (Ancestry, error) {
	f := Ancestry{Option: r.Option, Options: []AncestryOption{{Option: r.Option, K: r.K, Influence: 1}}}
	for _, a := range r.Ancestors {
		ref, err := report.ParseRef(a.Option)
		if err != nil {
			return f, err
		}
		f.Options = append(f.Options, AncestryOption{
			Option: a.Option, K: ref.K, Influence: a.Influence, Depth: a.Depth,
		})
	}
	for _, e := range r.Edges {
		f.Links = append(f.Links, AncestryLink{From: e.From, To: e.To, Share: e.Share})
	}
	if len(r.Ancestors) == 0 {
		return f, schema.Advise(fmt.Errorf("%w: %s has no ancestors: all of its evidence was collected under "+
			"primitive actions", ErrEmpty, r.Option), AdviceLaterOptions, strings.SplitN(r.Option, ":", 2)[0])
	}
	return f, nil
}

// Table implements [Figure].
func (f Ancestry) Table() DataTable {
	t := DataTable{Columns: []string{"from", "to", "share", "depth", "influence"}}
	known := map[string]AncestryOption{}
	for _, o := range f.Options {
		known[o.Option] = o
	}
	for _, l := range f.Links {
		depth, influence := "", ""
		if o, ok := known[l.From]; ok {
			depth, influence = fmt.Sprint(o.Depth), textform.FormatExact(&o.Influence)
		}
		t.add(l.From, l.To, textform.FormatExact(&l.Share), depth, influence)
	}
	return t
}
