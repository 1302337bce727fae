package api

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// maxEpisodes bounds the size of an evaluation, in episodes of all arms and seeds.
const maxEpisodes = 1 << 22

// evaluations returns the documents of podtrack evaluate --json for all recorded
// evaluations of a run.
func (s *server) evaluations(r *request) (reply.Answer, error) {
	run, all, err := s.evaluatedIn(r)
	if err != nil {
		return reply.Answer{}, err
	}
	documents, left := []evaluate.Document{}, maxEpisodes
	for _, at := range all {
		d, err := s.evaluation(r.Context(), run, at, &left)
		if err != nil {
			return reply.Answer{}, err
		}
		documents = append(documents, d)
	}
	return reply.JSON(documents)
}

// sketchedDocument is an evaluation with learning curves to draw.
type sketchedDocument struct {
	evaluate.Document
	Curves *evaluate.SampledCurves `json:"curves,omitempty"` // nil for many tasks
}

// maxPoints is the largest number of points of a curve.
const maxPoints = 200

// oneEvaluation returns the document of podtrack evaluate --json, with learning curves,
// for the evaluation that the path names by a prefix of its digest.
func (s *server) oneEvaluation(r *request) (reply.Answer, error) {
	run, all, err := s.evaluatedIn(r)
	if err != nil {
		return reply.Answer{}, err
	}
	at, err := chosen(all, r.PathValue("e"), run)
	if err != nil {
		return reply.Answer{}, err
	}
	left := maxEpisodes
	d, err := s.evaluation(r.Context(), run, at, &left)
	if err != nil {
		return reply.Answer{}, err
	}
	if d.Report == nil {
		return reply.JSON(sketchedDocument{Document: d})
	}
	curves, err := d.Report.SampleCurves(r.Context(), maxPoints)
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(sketchedDocument{d, &curves})
}

// evaluatedIn returns the run that the path names and its evaluations.
func (s *server) evaluatedIn(r *request) (run report.Run, all []tracker.Evaluation, err error) {
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		if run, err = report.LoadRun(tx, r.PathValue("run")); err == nil {
			all, err = tx.ReadEvaluations(run.ID)
		}
		return err
	})
	if err == nil {
		err = tooLarge(run)
	}
	return run, all, err
}

// aboutEvaluations returns the run that the path names and its evaluations, for a tag.
func (s *server) aboutEvaluations(r *request) (any, error) {
	var made []any
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		run, err := report.LoadRun(tx, r.PathValue("run"))
		if err != nil {
			return err
		}
		all, err := tx.ReadEvaluations(run.ID)
		made = []any{run, all}
		return err
	})
	return made, err
}

// leastDigest is the shortest prefix of a digest that names an evaluation.
const leastDigest = 4

// chosen returns the one evaluation whose digest begins with prefix.
func chosen(all []tracker.Evaluation, prefix string, run report.Run) (found tracker.Evaluation, err error) {
	n := 0
	for _, at := range all {
		if len(prefix) >= leastDigest && strings.HasPrefix(at.Digest.String(), prefix) {
			found, n = at, n+1
		}
	}
	if n == 1 {
		return found, nil
	}
	return found, schema.Hint(reply.Errorf(http.StatusNotFound, "run %s has no evaluation %q", run.Label(), prefix),
		"podtrack show %s --json lists them; name one by at least %d letters of its digest, so many that no other "+
			"begins so",
		textfmt.ShellQuote(run.Label()), leastDigest)
}

// evaluation reads an evaluation and subtracts its episodes from left. It fails if
// there are more of them than left.
func (s *server) evaluation(
	ctx context.Context, run report.Run, at tracker.Evaluation, left *int,
) (d evaluate.Document, err error) {
	var e evaluation.Record
	err = s.Store.View(ctx, func(tx *tracker.Tx) error {
		e, err = evaluate.Load(tx, at)
		return err
	})
	if err != nil {
		return d, fmt.Errorf("run %s, iteration %d: %w", run.Label(), at.K, err)
	}
	if *left -= len(e.Steps); *left < 0 {
		return d, schema.Hint(reply.Errorf(http.StatusConflict,
			"run %s: its evaluations have more than %d episodes, of all arms and seeds", run.Label(), maxEpisodes),
			"the command line has no such bound: podtrack evaluate %s:%d with the same flags",
			textfmt.ShellQuote(run.Label()), at.K)
	}
	subject, err := evaluate.Open(ctx, s.Store, run.Source, evaluate.Choice{Iteration: &at.K, All: e.Spec.All})
	if err != nil {
		return d, err
	}
	if len(e.Spec.Tasks) > 0 {
		var sum evaluate.Aggregator
		err := sum.Add(subject, e, true, run.Label())
		summary := sum.Summary()
		return evaluate.Document{Run: run.ID, K: at.K, Summary: &summary}, err
	}
	found, err := evaluate.NewReport(ctx, subject, e, true)
	return evaluate.Document{Run: run.ID, K: at.K, Report: &found}, err
}

// maxDiffusion bounds the work for diffusion times: the cube of the number of states,
// once for each number of options.
const maxDiffusion = 1 << 31

// checkDiffusion returns an error if diffusion times of iteration k take too long for a page.
func checkDiffusion(run report.Run, k, states, options int) error {
	if math.Pow(float64(states), 3)*float64(options+1) <= maxDiffusion {
		return nil
	}
	return schema.Hint(reply.Errorf(http.StatusConflict,
		"run %s: a diffusion time over %d states for each of %d numbers of options takes too long for a page",
		run.Label(), states, options+1),
		"podtrack evaluate %s:%d --diffusion computes it", textfmt.ShellQuote(run.Label()), k)
}

// diffusion returns the document of podtrack evaluate --diffusion --json for an
// iteration. Diffusion times are not recorded but computed for each request.
func (s *server) diffusion(r *request) (reply.Answer, error) {
	run, _, err := s.evaluatedIn(r)
	if err != nil {
		return reply.Answer{}, err
	}
	ref, err := pathRef(r)
	if err != nil {
		return reply.Answer{}, err
	}
	subject, err := evaluate.Open(r.Context(), s.Store, run.Source, evaluate.Choice{Iteration: &ref.K})
	if err != nil {
		return reply.Answer{}, err
	}
	if err := checkDiffusion(run, ref.K, subject.Env.States(), len(subject.Options)); err != nil {
		return reply.Answer{}, err
	}
	d, err := subject.Diffuse(r.Context(), nil)
	if err != nil {
		return reply.Answer{}, reply.ClientError(err)
	}
	return reply.JSON(evaluate.Document{Run: run.ID, K: subject.K, Diffusion: d})
}
