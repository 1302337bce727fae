package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textform"
)

// Ancestry shows an option with the earlier options whose steps are its evidence, and with the later ones of whose
// evidence its steps are, by the lanes of their purposes.
type Ancestry struct {
	Option      string           `json:"option"`
	Options     []AncestryOption `json:"options"`     // the option itself first, then the largest influence first
	Descendants []AncestryOption `json:"descendants"` // the largest influence first
	Links       []AncestryLink   `json:"links"`

	lanes []diff.Lineage // of the run's purposes
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

// NewAncestry returns the figure of an option's audit and its effects, in the lanes of its run's purposes.
func NewAncestry(r *why.Report, e *why.Effects, lanes []diff.Lineage) (Ancestry, error) {
	f := Ancestry{Option: r.Option, Options: []AncestryOption{{Option: r.Option, K: r.K, Influence: 1}}, lanes: lanes}
	for _, a := range r.Ancestors {
		ref, err := report.ParseRef(a.Option)
		if err != nil {
			return f, err
		}
		f.Options = append(f.Options, AncestryOption{
			Option: a.Option, K: ref.K, Influence: a.Influence, Depth: a.Depth,
		})
	}
	for _, l := range r.Edges {
		f.Links = append(f.Links, AncestryLink{From: l.From, To: l.To, Share: l.Share})
	}
	for _, d := range e.Descendants {
		ref, err := report.ParseRef(d.Option)
		if err != nil {
			return f, err
		}
		f.Descendants = append(f.Descendants, AncestryOption{
			Option: d.Option, K: ref.K, Influence: d.Influence, Depth: d.Depth,
		})
		f.Links = append(f.Links, AncestryLink{From: r.Option, To: d.Option, Share: d.Share})
	}
	if len(r.Ancestors) == 0 && len(e.Descendants) == 0 {
		return f, schema.Advise(fmt.Errorf("%w: %s has no ancestors: all of its evidence was collected under "+
			"primitive actions; and no descendants", ErrEmpty, r.Option), AdviceLaterOptions,
			strings.SplitN(r.Option, ":", 2)[0])
	}
	return f, nil
}

// Table implements [Figure].
func (f Ancestry) Table() DataTable {
	t := DataTable{Columns: []string{"from", "to", "share", "depth", "influence"}}
	known := map[string]AncestryOption{}
	for _, o := range slices.Concat(f.Options, f.Descendants) {
		known[o.Option] = o
	}
	for _, l := range f.Links {
		name := l.From
		if name == f.Option { // the other end is a descendant
			name = l.To
		}
		depth, influence := "", ""
		if o, ok := known[name]; ok {
			depth, influence = fmt.Sprint(o.Depth), textform.FormatExact(&o.Influence)
		}
		t.add(l.From, l.To, textform.FormatExact(&l.Share), depth, influence)
	}
	return t
}
