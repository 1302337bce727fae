package api

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
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

// aboutRun returns the run that the path names.
func (s *server) aboutRun(r *request) (any, error) { return s.named(r, r.PathValue("run")) }

// aboutDetail returns the run that the path names, its sessions, and its places in studies.
func (s *server) aboutDetail(r *request) (any, error) {
	runs, err := s.aboutRun(r)
	if err != nil {
		return nil, err
	}
	var sessions []tracker.Session
	var places []tracker.Membership
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		run, err := report.LoadRun(tx, r.PathValue("run"))
		if err != nil {
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
	return []any{runs, sessions, places}, err
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
	var groups [][]report.Run
	for _, filter := range filters {
		if filter == "" {
			continue
		}
		l, err := s.selected(r.Context(), report.SplitSelection([]string{filter}), "")
		if err != nil {
			return nil, err
		}
		groups = append(groups, l.runs)
	}
	return groups, nil
}

// aboutSelected returns the runs that match a filter.
func (s *server) aboutSelected(r *request) (any, error) {
	l, err := s.selected(r.Context(), r.query["q"], "")
	if err != nil {
		return nil, err
	}
	return l.runs, nil
}

// aboutFigure returns the runs that a figure's arguments select, and of a single one what is recorded beside its
// iterations. Figures without arguments depend on which runs there are, so on the revision of the store.
func (s *server) aboutFigure(r *request) (any, error) {
	var runs [][]report.Run
	for _, arg := range r.query["of"] {
		l, err := s.selected(r.Context(), runsOf(report.SplitSelection([]string{arg})), "")
		if err != nil {
			return nil, err
		}
		runs = append(runs, l.runs)
	}
	var beside any
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) (err error) {
		if len(runs) == 0 {
			beside, err = tx.Revision()
		}
		return err
	})
	return []any{runs, beside}, err
}
