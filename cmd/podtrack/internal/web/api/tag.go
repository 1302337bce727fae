package api

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// tag returns an ETag for what an answer depends on, so that a client that has the
// answer does not have it computed and sent again when only other runs have changed. It
// returns "" if the dependencies are unknown. Tags of different server processes
// differ, since they may be different versions or serve different stores. The tag is
// taken before the answer is computed, so at worst it is too old.
func (s *server) tag(e endpoint, r *request) (string, error) {
	if e.about == nil {
		return "", nil
	}
	made, err := e.about(r)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal([]any{s.instanceID, r.URL.RequestURI(), made})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`"%.16x"`, sha256.Sum256(text)), nil
}

// aboutRun returns the run that the path names. It fails for a reference that cannot be.
func (s *server) aboutRun(r *request) (any, error) {
	ref, err := pathRef(r)
	if err != nil {
		return nil, err
	}
	return s.named(r, ref.Run)
}

// aboutDetail returns the run that the path names, its sessions, and its places in studies.
func (s *server) aboutDetail(r *request) (any, error) {
	var run report.Run
	var sessions []tracker.Session
	var places []tracker.Membership
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) (err error) {
		if run, err = report.LoadRun(tx, r.PathValue("run")); err != nil {
			return err
		}
		if places, err = tx.MembershipsOf(run.Source); err != nil {
			return err
		}
		sessions, err = tx.ReadSessions(run.ID)
		for i, session := range sessions {
			if session.State == tracker.SessionRunning { // within an iteration it saves every second
				sessions[i].Saved, sessions[i].Position = 0, tracker.Position{}
			}
		}
		return err
	})
	return []any{run, sessions, places}, err
}

// aboutBoth returns the runs of two references.
func (s *server) aboutBoth(r *request) (any, error) {
	a, b, err := diffRefs(r)
	if err != nil {
		return nil, err
	}
	return s.named(r, a.Run, b.Run)
}

// aboutGroups returns the runs of the groups to compare.
func (s *server) aboutGroups(r *request) (any, error) {
	filters := append([]string{strings.Join(r.query["a"], " "), strings.Join(r.query["b"], " "),
		strings.Join(r.query["q"], " ")}, r.query["group"]...)
	return s.selections(r, slices.DeleteFunc(filters, func(filter string) bool { return filter == "" }))
}

// selections returns the runs that each of the arguments selects.
func (s *server) selections(r *request, args []string) (runs [][]report.Run, err error) {
	for _, arg := range args {
		l, err := s.selected(r.Context(), runsOf(report.SplitSelection([]string{arg})), "")
		if err != nil {
			return nil, err
		}
		runs = append(runs, l.runs)
	}
	return runs, nil
}

// aboutSelected returns the runs that match a filter.
func (s *server) aboutSelected(r *request) (any, error) {
	l, err := s.selected(r.Context(), r.query["q"], "")
	if err != nil {
		return nil, err
	}
	return l.runs, nil
}

// aboutFigure returns the runs that a figure's arguments select. Figures without arguments depend on which runs there
// are, so on the revision of the store.
func (s *server) aboutFigure(r *request) (any, error) {
	of := r.query["of"]
	if len(of) == 0 {
		return s.aboutStore(r)
	}
	if err := s.checkDrawable(r); err != nil {
		return nil, err
	}
	return s.selections(r, of)
}

// aboutStore returns the revision of the store.
func (s *server) aboutStore(r *request) (revision any, err error) {
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		revision, err = tx.Revision()
		return err
	})
	return revision, err
}
