package why

import (
	"fmt"
	"reflect"

	"github.com/podtrack/podtrack/schema"
)

// sameBytes is what holds of every record that was read: tracker verified it.
const sameBytes = "its bytes have this digest"

// chain verifies the way from the data to the head.
func (a *audit) chain(Question) error {
	it := a.run.Iterations[a.k]
	for _, d := range a.describeData().Steps {
		a.prove(d.K, string(d.Kind), d.Digest, "", sameBytes)
	}
	wrong, err := a.refactor()
	if err != nil {
		return err
	}
	factors, _ := it.First(schema.KindFactors) // it was read
	a.prove(a.k, string(schema.KindFactors), factors, wrong, a.factorsHold())
	if a.option != nil {
		a.prove(a.k, string(schema.KindValue), it.All(schema.KindValue)[a.at], "", sameBytes)
		a.prove(a.k, string(schema.KindOption), it.All(schema.KindOption)[a.at], a.misfit(), "its purpose is the one that these factors select")
	}
	return a.links()
}

// misfit is what is wrong with the option.
func (a *audit) misfit() string {
	switch {
	case !reflect.DeepEqual(a.option.Purpose, a.purpose()):
		return "its purpose is not the one that these factors select"
	case !a.certified():
		return "its policy does not do as certified"
	}
	return ""
}

// prove adds a link of the chain; wrong is what speaks against it, if anything.
func (a *audit) prove(k int, what string, digest schema.Digest, wrong, how string) {
	p := Proof{K: k, What: what, Digest: digest, Verified: wrong == "", How: how}
	if !p.Verified {
		p.How = wrong
	}
	a.out.Chain = append(a.out.Chain, p)
}

// links recomputes every link from the first iteration that was read to the head.
func (a *audit) links() error {
	its := a.run.Iterations
	for k := a.first; k < len(its); k++ {
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
		what, wrong := "link", ""
		if k == len(its)-1 {
			what = "head"
		}
		if link != its[k].Link {
			wrong = "it does not follow from the records that it lists"
		}
		a.prove(k, what, its[k].Link, wrong, fmt.Sprintf("it follows from %d records and the link before", len(its[k].Records)))
	}
	return nil
}
