package report

import "slices"

// SpecFields returns the names of all fields of the runs' specs, in the order in which a spec
// shows them.
func SpecFields(runs []Run) []string {
	var names, last []string
	for _, r := range runs {
		own := r.Spec.FieldNames()
		if !slices.Equal(last, own) { // most specs in a list have the same
			names = merge(names, own)
		}
		last = own
	}
	return names
}

// CompareFields returns the fields of the runs' specs that all of them share, and those in which they
// differ, both in the order of [SpecFields].
func CompareFields(runs []Run) (shared, differing []string) {
	for _, name := range SpecFields(runs) {
		first, has := runs[0].Spec.Get(name)
		differs := func(r Run) bool {
			value, known := r.Spec.Get(name)
			return value != first || known != has
		}
		if slices.ContainsFunc(runs, differs) {
			differing = append(differing, name)
		} else {
			shared = append(shared, name)
		}
	}
	return shared, differing
}

// merge inserts each new field after the one that it follows in its spec.
func merge(names, fields []string) []string {
	at := 0
	for _, name := range fields {
		if known := slices.Index(names, name); known >= 0 {
			at = known + 1
			continue
		}
		names = slices.Insert(names, at, name)
		at++
	}
	return names
}
