package report

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// Select returns the runs that args select by references or by the terms of a filter, or all runs without args. One
// argument may hold several references or terms: see [SplitSelection]. Each run is returned once; a filter returns the
// newest first. A filter reads no more of a run than it takes to reject it. If the store has an index for one of the
// terms, it reads only the runs found there.
func Select(tx *tracker.Tx, args []string) ([]Run, error) {
	return selectAs(tx, args, func(r Run) Run { return r })
}

// selectAs selects runs like [Select], for a caller that needs only a part of each run.
func selectAs[T any](tx *tracker.Tx, args []string, as func(Run) T) (chosen []T, err error) {
	args = SplitSelection(args)
	terms := 0
	for _, arg := range args {
		if IsTerm(arg) {
			terms++
		}
	}
	switch {
	case terms == len(args):
		return selectFiltered(tx, args, as)
	case terms > 0:
		return nil, schema.Hint(fmt.Errorf("%w: references and terms together", ErrFilter),
			"name runs, or give a filter such as seed=0-29, not both")
	}
	had := map[schema.Digest]bool{}
	for _, arg := range args {
		r, err := LoadRun(tx, arg)
		if err != nil {
			return nil, err
		}
		if !had[r.ID] {
			had[r.ID] = true
			chosen = append(chosen, as(r))
		}
	}
	return chosen, nil
}

// LoadNewest returns at most limit runs from offset on, newest first, and the number of all runs. It reads only the
// runs that it returns.
func LoadNewest(tx *tracker.Tx, offset, limit int) (total int, runs []Run, err error) {
	return tracker.ScanNewestFrom(tx, offset, limit, Summarise)
}

// SelectFirst returns the first of the runs that [Select] returns, at most limit, and the number of all of them.
// Without args it reads only the runs that it returns.
func SelectFirst(tx *tracker.Tx, args []string, limit int) (total int, runs []Run, err error) {
	if len(SplitSelection(args)) == 0 {
		return LoadNewest(tx, 0, limit)
	}
	if runs, err = Select(tx, args); err != nil {
		return 0, nil, err
	}
	return len(runs), runs[:min(limit, len(runs))], nil
}

// LoadRun returns the run that a reference names.
func LoadRun(tx *tracker.Tx, ref string) (Run, error) {
	r, err := resolve(tx, ref)
	if err != nil {
		return Run{}, err
	}
	return Summarise(tx, r)
}

// Open opens the run that a reference names. Its records can be read until ctx is done.
func Open(ctx context.Context, store *tracker.Store, ref string) (*recorded.Records, error) {
	view := store.Within(ctx)
	r, err := tracker.Read(view, func(tx *tracker.Tx) (*recorded.Records, error) {
		run, err := resolve(tx, ref)
		if err != nil {
			return nil, err
		}
		return recorded.Open(tx.View, run)
	})
	if err != nil {
		return nil, err
	}
	return r.With(view), nil
}

// resolve returns the run that a reference names. If there is none, the error suggests the most similar name, or says
// that the text is another kind of reference.
func resolve(tx *tracker.Tx, text string) (tracker.Run, error) {
	if _, err := ParseRefOf(text, RefRun); err != nil {
		return tracker.Run{}, err
	}
	r, err := tx.Resolve(text)
	if !errors.Is(err, tracker.ErrMissing) {
		return r, err
	}
	if near := textfmt.Suggest(text, tx.RunNames()); near != "" {
		err = schema.Hint(err, AdviceSimilar, near)
	}
	return r, err
}

func selectFiltered[T any](tx *tracker.Tx, args []string, as func(Run) T) ([]T, error) {
	filter, err := ParseFilter(args)
	if err == nil {
		err = filter.CheckDeclared(tx)
	}
	if err != nil {
		return nil, err
	}
	onRow, onPlaces := filter.of(isOnRow), filter.of(isPlaceKey)
	read := func(tx *tracker.Tx, r tracker.Run) (chosen T, wanted bool, err error) {
		if wanted, err = onRow.matchRow(r); err != nil || !wanted {
			return chosen, false, err
		}
		placed := Run{Source: r} // most of a large store is in no study, and is not read further
		if wanted, err = onPlaces.matchPlaces(tx, &placed); err != nil || !wanted {
			return chosen, false, err
		}
		run, err := Summarise(tx, r)
		if err == nil {
			run.Places = placed.Places
			wanted, err = filter.Match(tx, &run)
		}
		if err != nil || !wanted {
			return chosen, false, err
		}
		return as(run), true, nil
	}
	if ids, ok, err := filter.findCandidates(tx); ok || err != nil {
		if err != nil {
			return nil, err
		}
		return tracker.ScanSome(tx, ids, read)
	}
	return tracker.ScanNewest(tx, read)
}

// Find returns the runs that a selection names: by references, or by the terms of a filter such as "seed=0-9",
// "kappa>1" or "tag=final", all of which must hold. Without arguments it returns all runs. A filter returns the newest
// first. The command podtrack help filters describes terms.
func Find(ctx context.Context, store *replay.Store, selection ...string) (runs []*replay.Run, err error) {
	err = store.Tracker().View(ctx, func(tx *tracker.Tx) error {
		ids, err := selectAs(tx, selection, func(r Run) schema.Digest { return r.ID })
		if err != nil {
			return err
		}
		runs = make([]*replay.Run, 0, len(ids))
		for _, id := range ids {
			source, err := tx.ReadRun(id)
			if err != nil {
				return err
			}
			run, err := store.ReadRun(tx, source)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		return nil
	})
	return runs, err
}

// ErrDependent is the error of a group in which runs share iterations.
var ErrDependent = errors.New("runs are not independent")

// CheckIndependent returns an error if runs share iterations, as a fork and its parent do: statistics over them would
// count the same records several times. It compares first iterations only, since runs that share any share the first.
func CheckIndependent(runs []Run) error {
	first := map[schema.Digest]Run{}
	for _, r := range runs {
		root := r.ID
		if len(r.Ancestors) > 0 {
			root = r.Ancestors[0].Run
		}
		if r.Iterations == 0 {
			continue
		}
		if other, found := first[root]; found {
			return schema.Hint(fmt.Errorf("%w: %s and %s share iterations", ErrDependent, other.Label(), r.Label()),
				"choose one of them; the term parent= excludes forks")
		}
		first[root] = r
	}
	return nil
}

// termStart matches a word that begins a term: a key, perhaps an operator in letters, and an operator.
var termStart = textfmt.Pattern(`^[a-z][a-z0-9_-]*(\.[a-z]+)?(==|=|<=|>=|<|>|~|!=)`)

// SplitSelection splits arguments at blanks into references and terms, so that 'seed=0-9 hide=3' is the same as
// seed=0-9 hide=3. Notes may contain blanks, unlike names and tags: a value in double quotes is not split, and an
// argument that begins with a term is split only before another term.
func SplitSelection(args []string) (selection []string) {
	for _, arg := range args {
		rest := strings.TrimSpace(arg)
		if rest == "" {
			selection = append(selection, arg)
		}
		joins := false // a word that is not a term belongs to the one before
		for rest != "" {
			end := endOfWord(rest)
			word, isTerm := rest[:end], termStart().MatchString(rest)
			if joins && !isTerm {
				selection[len(selection)-1] += word
			} else {
				selection = append(selection, trimBlanks(word))
			}
			joins = (joins || isTerm) && !strings.HasSuffix(word, `"`)
			rest = rest[end:]
			if next := trimBlanks(rest); !joins || termStart().MatchString(next) {
				rest = next
			}
		}
	}
	return selection
}

// endOfWord returns the end of the first word of a text, after any leading blanks: the next blank outside a quoted
// value of a term.
func endOfWord(text string) int {
	at := len(text) - len(trimBlanks(text))
	if start := termStart().FindString(text[at:]); start != "" {
		at += len(start)
		for next := true; next && at < len(text); {
			if quoted, err := strconv.QuotedPrefix(text[at:]); err == nil && text[at] == '"' {
				at += len(quoted)
			} else if end := strings.IndexFunc(text[at:], endsValue); end >= 0 {
				at += end
			} else {
				at = len(text)
			}
			if next = strings.HasPrefix(text[at:], ","); next {
				at++
			}
		}
	}
	if next := strings.IndexFunc(text[at:], unicode.IsSpace); next >= 0 {
		return at + next
	}
	return len(text)
}

func endsValue(r rune) bool { return r == ',' || unicode.IsSpace(r) }

func trimBlanks(text string) string { return strings.TrimLeftFunc(text, unicode.IsSpace) }
