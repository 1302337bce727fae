package why

import (
	"context"
	"fmt"
	"reflect"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// sameBytes is true of every record that was read: package tracker verifies digests.
const sameBytes = "its bytes have this digest"

// verifyChain verifies the records and links from the data to the head and to the ancestors.
func (a *audit) verifyChain(ctx context.Context) error {
	a.out.Levels = stages.LevelsOf(a.run.Run, len(a.run.Iterations))
	var all count
	for k := a.first; k <= a.k; k++ {
		for _, e := range a.run.Iterations[k].Records {
			if isImported(e.Kind) {
				a.addProof(k, string(e.Kind), e.Name, "", a.describeCollected(k, e.Kind))
			}
		}
		if k == a.firstOf(k) {
			all = nil
		}
		if a.walks[k] != nil {
			for row, n := range a.walks[k].all() {
				all.add(row, n)
			}
		}
		wrong, err := a.checkFactors(ctx, k, all)
		if err != nil {
			return err
		}
		holds, err := a.factorsHold(k)
		if err != nil {
			return err
		}
		factors, _ := a.run.Iterations[k].OnlyRecord(schema.KindFactors) // no error: it has been read
		a.addProof(k, string(schema.KindFactors), factors, wrong, holds)
	}
	if err := a.verifySelection(ctx); err != nil {
		return err
	}
	if a.option != nil {
		it := a.run.Iterations[a.k]
		taken := recorded.LearnedEntries(it)[a.at]
		how := sameBytes
		if external := a.spec.Stages.Of(schema.LearnerStage); external != nil {
			how = fmt.Sprintf("%s: %s learned them, the option follows; %s", a.spec.LevelWithout(schema.LearnerStage),
				external, sameBytes)
		}
		a.addProof(a.k, string(taken.Kind), taken.Name, "", how)
		by := map[schema.Kind]string{schema.KindTheta: "weights give", schema.KindValue: "values give"}[a.taken.Kind()]
		a.addProof(a.k, string(schema.KindOption), it.RecordsOf(schema.KindOption)[a.at], a.findOptionProblem(),
			fmt.Sprintf("these factors select its purpose, the %s its policy", by))
	}
	return a.verifyLinks()
}

// describeCollected returns the statement about a record of iteration k's observations.
func (a *audit) describeCollected(k int, kind schema.Kind) string {
	spec := a.run.SpecAt(k)
	external, level := spec.Stages.Of(schema.CollectStage), spec.LevelWithout(schema.CollectStage)
	switch {
	case k == 0 && !spec.Data.IsZero():
		return fmt.Sprintf("%s: the spec names these data; %s", schema.Verified, sameBytes)
	case kind != schema.KindTransitions:
		return sameBytes
	case external != nil && level == schema.Claimed:
		return fmt.Sprintf("%s: %s observed them; %s", level, external, sameBytes)
	case external != nil:
		return fmt.Sprintf("%s: %s took these steps, which replay verifies; %s", level, external, sameBytes)
	case level == schema.Claimed:
		return fmt.Sprintf("%s: environment %s observed them; %s", level, spec.Env.Name, sameBytes)
	}
	return sameBytes
}

// verifySelection verifies the selection, if it is recorded.
func (a *audit) verifySelection(ctx context.Context) error {
	if !a.spec.RecordsSelection() {
		return nil
	}
	if err := a.readEarlier(ctx); err != nil {
		return err
	}
	name, err := a.run.Iterations[a.k].OnlyRecord(schema.KindSelection)
	if err != nil {
		return a.run.WrapError(a.k, err)
	}
	wrong, how := "", sameBytes
	switch external := a.spec.Stages.Of(schema.SelectStage); {
	case external != nil:
		how = fmt.Sprintf("%s: %s decided, which replay can ask again; %s", schema.Claimed, external, sameBytes)
	default:
		how = "applying the rule to these factors again gives the same selection"
		again, err := a.selectAgain(ctx)
		if err != nil {
			return err
		}
		record, err := again.Encode()
		if err != nil {
			return err
		}
		if schema.Name(record) != name {
			wrong = "applying the rule to these factors gives another selection"
		}
	}
	a.addProof(a.k, string(schema.KindSelection), name, wrong, how)
	return nil
}

// selectAgain applies the rule to the factors, and to the iteration's statistics if the rule needs them.
func (a *audit) selectAgain(ctx context.Context) (s schema.Selection, err error) {
	var earlier collect.OptionSet // the options that the iteration can call, with their purposes only
	for i, purposes := range a.purposes[:a.k] {
		if i < a.spec.FirstAvailable(a.k) {
			earlier.First += len(purposes)
			continue
		}
		for _, p := range purposes {
			earlier.Options = append(earlier.Options, &schema.Option{Purpose: p})
		}
	}
	seen, err := tracker.Read(a.run.View, func(tx *tracker.Tx) (selection.Seen, error) {
		return recorded.LoadSeen(tx, a.env, a.spec, a.run.Iterations[a.k])
	})
	if err == nil {
		s, err = selection.SelectDirections(ctx, a.env, a.spec, a.k, earlier, a.factors, seen)
	}
	return s, a.run.WrapError(a.k, err)
}

// findOptionProblem returns a description of what is wrong with the option, "" if it is valid.
func (a *audit) findOptionProblem() string {
	if !reflect.DeepEqual(a.option.Purpose, a.purpose()) {
		return "its purpose is not the one that these factors select"
	}
	var again *schema.Option
	learner, err := learn.NewOptionLearner(a.env, a.spec, learn.Experience{Transitions: a.moves})
	if err == nil {
		again, err = learner.Conclude(a.purpose(), a.taken)
	}
	if err != nil || !reflect.DeepEqual(again, a.option) {
		return "its policy and certificate are not those that the values give"
	}
	return ""
}

// addProof adds a link of the chain. It is invalid if wrong, the problem, is not empty.
func (a *audit) addProof(k int, what string, digest schema.Digest, wrong, how string) {
	p := Proof{K: k, What: what, Digest: digest, Verified: wrong == "", How: how}
	if !p.Verified {
		p.How = wrong
	}
	a.out.Chain = append(a.out.Chain, p)
}

// verifyLinks recomputes every link from the first iteration that the audit read to the head.
func (a *audit) verifyLinks() error {
	its := a.run.Iterations
	for k := a.first; k < len(its); k++ {
		var before schema.Digest
		if k > 0 {
			before = its[k-1].Link
		}
		link, err := a.run.Run.Link(k, before, its[k].Records)
		if err != nil {
			return err
		}
		what, wrong := "link", ""
		if k == len(its)-1 {
			what = "head"
		}
		if link != its[k].Link {
			wrong = "it does not follow from the records that it lists"
		}
		a.addProof(k, what, its[k].Link, wrong,
			fmt.Sprintf("it follows from %d records and the link before", len(its[k].Records)))
	}
	return nil
}
