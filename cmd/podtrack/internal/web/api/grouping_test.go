package api

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// TestGroups asks for the measures of groups in every way, and for what there is not.
func TestGroups(t *testing.T) {
	h := New(optionsFor(filled(t)))
	for query, want := range map[string]int{
		"q=seed%3D0-2":                             200,
		"q=seed%3D0-2&by=seed":                     200,
		"q=@1&q=@2&by=run":                         200,
		"group=seed%3D0&group=seed%3D1-2":          200,
		"a=seed%3D0&b=seed%3D1-2":                  200,
		"":                                         400,
		"q=seed%3D0-2&curve=coverage":              400,
		"q=seed%3D0-2&by=distance":                 400,
		"q=seed%3D0-2&by=colour":                   400,
		"q=seed%3D0-2&points=7":                    400,
		"q=seed%3D77":                              404,
		"group=seed%3D0&group=seed%3D77":           404,
		"q=seed%3D0&group=seed%3D1":                400,
		"q=nobody":                                 404,
		"q=seed%3D0-1&by=seed&baseline=1,kappa%3D": 400,
	} {
		if w := ask(h, "/api/measures?"+query); w.Code != want {
			t.Errorf("%s: status %d, want %d: %s", query, w.Code, want, w.Body)
		}
	}
}

// TestMeasuresAgree: the measures of one group are those of the comparison with another.
func TestMeasuresAgree(t *testing.T) {
	h := New(optionsFor(filled(t)))
	var one group.Summaries
	ok(t, json.Unmarshal(ask(h, "/api/measures?q=seed%3D0-1&measure=distance").Body.Bytes(), &one))
	var two group.Contrasts
	ok(t, json.Unmarshal(ask(h, "/api/compare?group=seed%3D0-1&group=seed%3D2&measure=distance").Body.Bytes(), &two))
	for k, it := range one.Groups[0].Measures[0].Iterations {
		if a := two.Measures[0].Iterations[k].Groups[0]; *a.Mean != *it.Mean || *a.Low != *it.Low || it.N != 2 {
			t.Errorf("iteration %d: %v and %v", k, *a.Mean, *it.Mean)
		}
	}
}

// TestOtherEnvironments compares runs that differ in their environment by what they have in common.
func TestOtherEnvironments(t *testing.T) {
	store := filled(t)
	other := small(5)
	other.Env.Params["bits"] = 6
	grid, err := envs.DefaultEnv("grid")
	ok(t, err)
	third := small(6)
	third.Env = grid
	perform(t, store, 2, other, third)
	h := New(optionsFor(store))
	pair := "a=" + idOf(t, small(0)) + "&b=" + idOf(t, third)
	wantFailure(t, ask(h, "/api/diff?"+pair), 409)
	wantFailure(t, ask(h, "/api/diff?"+pair+"&specs=yes"), 400)
	of := strings.NewReplacer("&", "%3A1&").Replace(pair) + "%3A1"
	for _, query := range []string{pair, of, strings.ReplaceAll(of, "%3A1", "%3A1/1%2B")} {
		var apart incomparable
		ok(t, json.Unmarshal(ask(h, "/api/diff?"+query+"&specs=true").Body.Bytes(), &apart))
		onMap := slices.ContainsFunc(apart.Spec, func(d report.SpecDifference) bool { return d.Field == "map" })
		why := apart.Incomparable
		if !strings.Contains(why.Error, "environments differ (env ring and grid") || why.Remedy == "" || !onMap {
			t.Errorf("%s: %+v", query, apart)
		}
	}
	same := "/api/diff?a=@1&b=@1"
	if plain, specs := ask(h, same).Body.String(), ask(h, same+"&specs=true").Body.String(); plain != specs {
		t.Errorf("two that can be compared: %s", specs)
	}
	for _, path := range []string{"measures?", "compare?"} {
		query := "q=" + idOf(t, small(0)) + "&q=" + idOf(t, other) + "&q=" + idOf(t, third) + "&by=run"
		if w := ask(h, "/api/"+path+query); w.Code != 200 {
			t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
		}
	}
}

// TestLimits asks for too many runs of which no record is left: the error is that of the limit, so that none was read.
func TestLimits(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	jobs := []replay.Job{}
	for seed := range uint64(4) {
		jobs = append(jobs, replay.Job{Spec: small(seed), Target: 1, Keep: &tracker.Retention{}})
	}
	performJobs(t, store, jobs)
	o := optionsFor(store)
	o.Draw = func(context.Context, figure.Request) ([]byte, error) { return []byte("drawn"), nil }
	s := newServer(o)
	h := s.handler()
	all := "q=env%3D*"
	for _, c := range []struct {
		path  string
		limit limits
		says  string
	}{
		{"group?" + all, limits{clustered: 3}, "4 runs"},
		{"figure/diff?of=env%3D*&group=true", limits{clustered: 3}, "4 runs"},
		{"figure/coverage?of=env%3D*&by=seed", limits{curves: 3}, "4 runs"},
		{"compare?" + all + "&by=seed", limits{runs: 3, groups: 9}, "4 runs"},
		{"compare?" + all + "&by=seed", limits{runs: 4, groups: 3}, "4 groups"},
		{"measures?" + all + "&by=seed,run", limits{runs: 4, groups: 3}, "4 groups"},
		{"compare?group=seed%3D0&group=seed%3D1&group=seed%3D2-3", limits{runs: 4, groups: 2}, "3 groups"},
	} {
		s.limits = c.limit
		f := wantFailure(t, ask(h, "/api/"+c.path), 409)
		if !strings.HasPrefix(f.Error, c.says) || !strings.Contains(f.Error, ": more than ") || f.Remedy == "" {
			t.Errorf("%s: %s (%s)", c.path, f.Error, f.Remedy)
		}
	}
	s.limits = standardLimits
	if f := wantFailure(t, ask(h, "/api/group?"+all), 409); strings.Contains(f.Error, "more than") {
		t.Errorf("within the limits: %s", f.Error)
	}
}

// cancelAfter is a context that ends after so many looks at it.
type cancelAfter struct {
	context.Context
	left, looks int
}

func (c *cancelAfter) Err() error {
	if c.looks++; c.left <= 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

// TestAbortedSelection: reading groups ends with the request, whatever run it is at.
func TestAbortedSelection(t *testing.T) {
	store := filled(t)
	for _, measures := range [][]string{nil, {"covered"}} {
		for left := range 4 {
			ctx := &cancelAfter{Context: t.Context(), left: left}
			err := store.View(t.Context(), func(tx *tracker.Tx) error {
				_, err := group.Choice{Filters: []string{"seed=0-2"}, Split: true, By: []string{"env"}}.Read(ctx, tx, measures)
				return err
			})
			if aborted := left < 3 || measures != nil; aborted != isBusy(err) ||
				aborted && ctx.looks != left+1 {
				t.Errorf("%v, %d looks: %v after %d", measures, left, err, ctx.looks)
			}
		}
	}
}

// TestAborted: a request whose client has gone is not computed.
func TestAborted(t *testing.T) {
	s := newServer(optionsFor(filled(t)))
	for _, path := range []string{"measures?q=seed%3D0-2", "compare?q=seed%3D0-2&by=seed",
		"group?q=seed%3D0-2", "group?q=seed%3D0-2&by=options", "diff?a=@1&b=@2"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		wantFailure(t, askIn(ctx, s.handler(), "/api/"+path), 503)
		if !s.heavy.TryAcquire(maxHeavy) {
			t.Fatalf("%s holds its place", path)
		}
		s.heavy.Release(maxHeavy)
	}
}

// isBusy reports whether an error is answered with status 503.
func isBusy(err error) bool { return reply.StatusOf(err) == http.StatusServiceUnavailable }
