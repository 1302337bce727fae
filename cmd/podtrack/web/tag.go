package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/tracker"
)

// about is what an answer is made of, which can be told without making it: mostly
// the runs, as lists show them.
type about func(*request) (any, error)

// tag names what an answer is made of, so that who has it need not have it computed
// and sent again although other runs have gone on. It is "" where that is not known,
// and told from another server's, which may be another version or have another
// store. It is taken before the answer is computed: at worst it is too old.
func (s *server) tag(e endpoint, r *request) string {
	if e.about == nil {
		return ""
	}
	made, err := e.about(r)
	if err != nil {
		return "" // the answer will say so
	}
	text, err := json.Marshal([]any{s.born, r.URL.RequestURI(), made})
	if err != nil {
		return ""
	}
	return fmt.Sprintf(`"%.16x"`, sha256.Sum256(text))
}

// newInstanceID is another word for each server.
func newInstanceID() string { return rand.Text() }

// has says whether the client has an answer of that tag.
func has(r *http.Request, tag string) bool {
	return tag != "" && strings.Contains(r.Header.Get("If-None-Match"), tag)
}

// aboutRun is the run that the path names.
func (s *server) aboutRun(r *request) (any, error) { return s.named(r, r.PathValue("run")) }

// aboutBoth are the runs of two references.
func (s *server) aboutBoth(r *request) (any, error) {
	var refs []string
	for _, text := range append(r.query["a"], r.query["b"]...) {
		ref, err := report.ParseRef(text)
		if err != nil {
			return nil, err
		}
		refs = append(refs, ref.Run)
	}
	return s.named(r, refs...)
}

// aboutGroups are the runs of two groups.
func (s *server) aboutGroups(r *request) (any, error) {
	var groups [2][]report.Run
	for i, name := range []string{"a", "b"} {
		l, err := s.selected(r.Context(), strings.Fields(strings.Join(r.query[name], " ")), "")
		if err != nil {
			return nil, err
		}
		groups[i] = l.runs
	}
	return groups, nil
}

// aboutSelected are the runs of a filter.
func (s *server) aboutSelected(r *request) (any, error) {
	l, err := s.selected(r.Context(), r.query["q"], "")
	if err != nil {
		return nil, err
	}
	return l.runs, nil
}

// aboutTable1 is of how many seeds the store has the table, which alone decides
// what it says.
func (s *server) aboutTable1(r *request) (seeds any, err error) {
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		seeds, err = table1.CountRecorded(tx)
		return err
	})
	return seeds, err
}

// named are runs by reference.
func (s *server) named(r *request, refs ...string) (runs []report.Run, err error) {
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		for _, ref := range refs {
			run, err := report.LoadRun(tx, ref)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		return nil
	})
	return runs, err
}
