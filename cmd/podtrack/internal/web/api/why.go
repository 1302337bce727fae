package api

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/why"
)

// why returns the document of podtrack why --json.
func (s *server) why(r *request) (reply.Answer, error) {
	q, run, err := s.question(r)
	if err != nil {
		return reply.Answer{}, err
	}
	audit, err := why.Explain(r.Context(), run, q)
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(audit)
}

// whyInStages sends the same document in parts: after each stage the fields that it has changed.
func (s *server) whyInStages(r *request, send func(progress) error) error {
	q, run, err := s.question(r)
	if err != nil {
		return err
	}
	var failed error
	sent := map[string]json.RawMessage{}
	begun := why.StagePurpose // nothing is sent before it is known, so that an option that is not there is status 404
	q.Progress = func(stage why.Stage) {
		if stage != begun {
			begun, failed = stage, send(progress{Doing: stage.String(), Done: int(stage), Of: why.Stages})
		}
	}
	_, err = why.ExplainInStages(r.Context(), run, q, func(stage why.Stage, audit *why.Report) error {
		if failed != nil {
			return failed
		}
		fields, err := changedFields(audit, sent)
		if err != nil {
			return err
		}
		return send(progress{Done: int(stage) + 1, Of: why.Stages, Report: fields})
	})
	return err
}

// changedFields returns the fields of a document that are not the same in sent, and adds them there.
func changedFields(v any, sent map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for name, value := range fields {
		if bytes.Equal(sent[name], value) {
			delete(fields, name)
		} else {
			sent[name] = value
		}
	}
	return fields, nil
}

// effects sends how far the search for an option's effects is, and at the end the document of podtrack why --forward
// --json.
func (s *server) effects(r *request, send func(progress) error) error {
	q, run, err := s.question(r)
	if err != nil {
		return err
	}
	found, err := why.FindEffects(r.Context(), run, q.Ref, func(done, total int) {
		// If the client has gone, the context ends.
		_ = send(progress{Doing: fmt.Sprintf("iteration %d", done), Done: done, Of: total})
	})
	if err != nil {
		return err
	}
	n := len(run.Iterations)
	return send(progress{Done: n, Of: n, Report: found})
}

// question reads which option a request is about, and opens its run.
func (s *server) question(r *request) (q why.Question, run *recorded.Records, err error) {
	if q.Ref, err = pathRef(r); err != nil {
		return q, nil, err
	}
	if q.State, err = askedState(r); err != nil {
		return q, nil, err
	}
	run, err = s.open(r, q.Ref.Run)
	return q, run, err
}

// askedState returns the state that a request names, nil if it names none.
func askedState(r *request) (*int, error) {
	if !r.query.Has("state") {
		return nil, nil
	}
	state, err := r.number("state", 0, 0, maxStates-1)
	if err != nil {
		return nil, err
	}
	n := int(state)
	return &n, nil
}
