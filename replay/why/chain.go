package why

import (
	"fmt"
	"reflect"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// learned reads the option and its values, where there is a model.
func (a *audit) learned() error {
	if !a.hasModel() {
		return nil
	}
	options, values := a.run.Iterations[a.k].All(schema.KindOption), a.run.Iterations[a.k].All(schema.KindValue)
	if a.at >= len(options) || a.at >= len(values) {
		return fmt.Errorf("run %s, iteration %d: %w: it selects %d purposes, and lists %d options and %d values", a.run.Label(), a.k, schema.ErrMalformed, len(a.purposes[a.k]), len(options), len(values))
	}
	err := a.run.View(func(tx *tracker.Tx) (err error) {
		if a.option, err = replay.LoadOption(tx, a.env, options[a.at]); err != nil {
			return err
		}
		a.value, err = tracker.Load(tx, values[a.at], schema.DecodeValue)
		if err == nil && len(a.value) != len(a.option.Policy) {
			err = fmt.Errorf("record %s: %w: values of %d states", values[a.at], schema.ErrMalformed, len(a.value))
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("run %s, iteration %d: %w", a.run.Label(), a.k, err)
	}
	return err
}

// chain verifies the way from the data to the head. The digest of every record
// was verified when it was read.
func (a *audit) chain() error {
	it := a.run.Iterations[a.k]
	for _, d := range a.describeData().Steps {
		a.prove(d.K, string(d.Kind), d.Digest, true, "its bytes have this digest")
	}
	factors, _ := it.First(schema.KindFactors) // it was read
	if a.hasModel() {
		a.prove(a.k, string(schema.KindFactors), factors, a.recounted(), "its rows and counts are those of the steps", "its rows and counts are not those of the steps")
	} else {
		a.prove(a.k, string(schema.KindFactors), factors, true, "its bytes have this digest")
	}
	if a.option != nil {
		a.prove(a.k, string(schema.KindValue), it.All(schema.KindValue)[a.at], true, "its bytes have this digest")
		same := reflect.DeepEqual(a.option.Purpose, a.purpose())
		a.prove(a.k, string(schema.KindOption), it.All(schema.KindOption)[a.at], same, "its purpose is the one that these factors select", "its purpose is not the one that these factors select")
	}
	return a.links()
}

// prove adds a link of the chain. The last of how is for when it does not hold.
func (a *audit) prove(k int, what string, digest schema.Digest, verified bool, how ...string) {
	p := Proof{K: k, What: what, Digest: digest, Verified: verified, How: how[0]}
	if !verified {
		p.How = how[len(how)-1]
	}
	a.out.Chain = append(a.out.Chain, p)
}

// recounted compares D's distinct rows with those that the steps show.
func (a *audit) recounted() bool {
	all := a.data.all()
	if all.total() != a.factors.Total {
		return false
	}
	for i, n := range a.factors.Counts {
		if at(all, a.rows.of(a.factors.Row(i))) != n {
			return false
		}
	}
	return true
}

// links recomputes every link from the first iteration whose steps are in D to
// the head.
func (a *audit) links() error {
	its := a.run.Iterations
	for k := a.firstOf(a.k); k < len(its); k++ {
		var before schema.Digest
		if k > 0 {
			before = its[k-1].Link
		}
		previous, err := a.run.Source.Previous(k, before)
		if err != nil {
			return err
		}
		link, err := schema.Link(k, previous, its[k].Records)
		if err != nil {
			return err
		}
		what := "link"
		if k == len(its)-1 {
			what = "head"
		}
		a.prove(k, what, its[k].Link, link == its[k].Link,
			fmt.Sprintf("it follows from %d records and the link before", len(its[k].Records)), "it does not follow from the records that it lists")
	}
	return nil
}
