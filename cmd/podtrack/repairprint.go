package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// incomplete says whether something is lost.
func (r *repaired) incomplete() bool {
	for _, run := range r.Runs {
		if run.Failed != "" || len(run.Lost) > 0 {
			return true
		}
	}
	return len(r.Rows) > 0
}

// hopeless says whether all that was found damaged are records that are lost.
func (r *repaired) hopeless(found tracker.Checked) bool {
	lost := map[schema.Digest]bool{}
	for _, run := range r.Runs {
		for _, l := range run.Lost {
			lost[l.Digest] = true
		}
	}
	return !found.Whole() && found.More == 0 && !slices.ContainsFunc(found.Damaged, func(d tracker.Damage) bool {
		return d.Digest == nil || !lost[*d.Digest]
	})
}

// again is how to come by what is lost.
func (r *repaired) again(pruned bool) string {
	if pruned {
		return "podtrack check --read-data says what is damaged of that from which it would be computed, and how to mend it"
	}
	for _, run := range r.Runs {
		if slices.ContainsFunc(run.Lost, func(l replay.LostRecord) bool { return l.Given }) {
			return fmt.Sprintf("podtrack rm %.12s, and then podtrack import of the same file with the same flags makes the same run", run.Run)
		}
	}
	return "what is lost is listed; a run that is gone can be run again from its spec, and has the same records then"
}

func (r *repaired) print(w io.Writer, pruned bool) error {
	for _, p := range r.Pages {
		fmt.Fprintf(w, "file: %s\n", p)
	}
	back := 0
	for _, run := range r.Runs {
		back += len(run.Back)
		r.printRun(w, run, pruned)
	}
	for _, row := range r.Rows {
		fmt.Fprintf(w, "lost: %s\n", row.What)
	}
	switch {
	case pruned:
		fmt.Fprintf(w, "%d records of %d runs were computed again and have their old digests; they are kept from now on\n", back, len(r.Runs))
	case r.Old == "":
		fmt.Fprintln(w, "nothing could be restored, and the store is as it was")
	default:
		fmt.Fprintf(w, "%d records were sound, %d were computed again and have their old digests\n", r.Records, back)
		fmt.Fprintf(w, "the damaged file is now %s\n", r.Old)
	}
	return nil
}

// printRun lists what was done for a run. Of what was pruned, it is enough to say
// how much came back.
func (r *repaired) printRun(w io.Writer, run replay.RepairedRun, pruned bool) {
	label := r.runs[run.Run].Label()
	var back, lost []string
	for _, b := range run.Back {
		back = append(back, fmt.Sprintf("restored: run %s, iteration %d, %s %.12s", label, b.K, b.Kind, b.Digest))
	}
	for _, l := range run.Lost {
		lost = append(lost, fmt.Sprintf("lost: run %s, iteration %d, %s %.12s: %s", label, l.K, l.Kind, l.Digest, l.Reason))
	}
	if !pruned {
		printSome(w, maxLines, back)
	}
	for _, k := range run.Remade {
		fmt.Fprintf(w, "restored: run %s, iteration %d, its row\n", label, k)
	}
	printSome(w, maxLines, lost)
	if run.Failed != "" {
		fmt.Fprintf(w, "lost: run %s: %s\n", label, run.Failed)
	}
	if was := r.runs[run.Run]; r.Old != "" && len(run.Remade) == 0 && was.Iterations < was.Target {
		fmt.Fprintf(w, "run %s has %d of %d iterations; podtrack resume %s goes on\n", label, was.Iterations, was.Target, label)
	}
}
