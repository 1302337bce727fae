package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Rejected is a direction with σ > 0 that did not become options.
type Rejected struct {
	Direction string        `json:"direction"` // RUN:K/J
	Run       schema.Digest `json:"run"`
	K         int           `json:"k"`
	J         int           `json:"j"`
	Sigma     float64       `json:"sigma"`
	Lambda    *float64      `json:"lambda,omitempty"` // 2 − σ, where the method is laplacian
	Reason    schema.Reason `json:"reason"`
	Number    float64       `json:"number"`  // that decided
	Nearest   string        `json:"nearest"` // RUN:K/J± of the most similar option, "" for none
	Why       string        `json:"why"`     // in words
}

// LoadRejected returns the rejected directions of all iterations of a run.
func LoadRejected(tx *tracker.Tx, r Run) ([]Rejected, error) {
	iterations, err := tx.ReadIterations(r.ID)
	if err != nil {
		return nil, err
	}
	j := rejectionReader{run: r}
	for k, it := range iterations {
		if err := j.add(tx, k, it); err != nil {
			return nil, r.Failed(k, err)
		}
	}
	return j.rejected, nil
}

// rejectionReader visits a run's iterations in order.
type rejectionReader struct {
	run      Run
	kept     []string // references of the options so far, by number
	rejected []Rejected
}

func (r *rejectionReader) add(tx *tracker.Tx, k int, it schema.Iteration) error {
	spec := r.run.Source.SpecAt(k)
	s, err := recorded.LoadSelection(tx, spec, it)
	if err != nil {
		return err
	}
	for i, d := range s.Directions {
		if d.Reason == schema.Kept {
			for _, sign := range []int{1, -1} {
				if d.Sign == schema.BothSigns || int(d.Sign) == sign {
					r.kept = append(r.kept, OptionRef(r.run.Label(), k, i+1, sign))
				}
			}
			continue
		}
		nearest := ""
		if d.Nearest >= 0 && int(d.Nearest) < len(r.kept) {
			nearest = r.kept[d.Nearest]
		}
		rejected := Rejected{
			Direction: fmt.Sprintf("%s:%d/%d", r.run.Label(), k, i+1),
			Run:       r.run.ID, K: k, J: i + 1, Sigma: d.Sigma, Lambda: spec.Method.Lambda(d.Sigma), Reason: d.Reason,
			Number: d.Number, Nearest: nearest,
		}
		rejected.Why = rejected.reasonText(spec)
		r.rejected = append(r.rejected, rejected)
	}
	return nil
}

// recorded returns the rejected directions of the next iteration if its rule records them. Otherwise it only names the
// iteration's options, to which a later iteration of a fork may find directions similar. Pruned options get no names.
func (r *rejectionReader) recorded(tx *tracker.Tx, k int, it schema.Iteration) ([]Rejected, error) {
	recordsSelection := func(a tracker.Ancestor) bool { return a.Spec.RecordsSelection() }
	if !slices.ContainsFunc(r.run.Source.AncestorsBefore(r.run.Iterations), recordsSelection) {
		return nil, nil
	}
	before := len(r.rejected)
	err := r.add(tx, k, it)
	if r.run.Source.SpecAt(k).RecordsSelection() {
		return r.rejected[before:], err
	}
	if errors.Is(err, tracker.ErrPruned) {
		r.kept, err = append(r.kept, make([]string, len(it.RecordsOf(schema.KindOption)))...), nil
	}
	return nil, err
}

// reasonText returns the reason in words.
func (r Rejected) reasonText(spec schema.Spec) string {
	rule, _ := spec.Select.ParseRule() // no error: the spec was checked
	switch r.Reason {
	case schema.Noise:
		return fmt.Sprintf("%s %s is not over κ %v", rule.By.Symbol(), shortNumber(r.Number), spec.Kappa)
	case schema.Large:
		return fmt.Sprintf("%s %s is over κ %v", rule.By.Symbol(), shortNumber(r.Number), spec.Kappa)
	case schema.Rank:
		if rule.By == schema.ByNothing {
			return "none becomes an option"
		}
		return fmt.Sprintf("it is not among the first %d", rule.N)
	case schema.Share:
		return fmt.Sprintf("the directions before it have %s of Σσ²", shortNumber(r.Number))
	case schema.Draw:
		return fmt.Sprintf("it was not drawn; %d others were", rule.N)
	case schema.Known:
		cosine := "|cos|"
		if spec.ChoosesSigns() {
			cosine = "cos"
		}
		return fmt.Sprintf("%s %s to %s is over %v", cosine, shortNumber(r.Number), cmp.Or(r.Nearest, "an option"),
			rule.Limit)
	}
	return r.Reason.String()
}

func shortNumber(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
