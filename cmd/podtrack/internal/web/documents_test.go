package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// browsing asks as a browser does that opens a page.
var browsing = header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")

// TestWords: an address is a command line.
func TestWords(t *testing.T) {
	store := filled(t)
	h := newSite(local(store))
	for target, want := range map[string]string{
		"/":                                         "ls --limit=200 --format=html --",
		"/ls":                                       "ls --limit=200 --format=html --",
		"/?chosen=@1&chosen=@2":                     "ls --limit=200 --format=html --",
		"/ls?limit=&sort=+":                         "ls --format=html --",
		"/ls?sort=-seed&limit=3":                    "ls --limit=3 --sort=-seed --format=html --",
		"/ls?best=distance":                         "ls --best=distance --format=html --",
		"/ls?q=seed%3D0-1+bits%3D7":                 "ls --limit=200 --format=html -- seed=0-1 bits=7",
		"/ls?q=+&q=seed%3D1":                        "ls --limit=200 --format=html -- seed=1",
		"/ls?q=mind+the+gap":                        "ls --limit=200 --format=html -- about~mind about~the about~gap",
		"/ls?q=gap+seed%3D0":                        "ls --limit=200 --format=html -- about~gap seed=0",
		"/ls?q=@1+@2&limit=1":                       "ls --limit=1 --format=html -- @1 @2",
		"/ls?of=gap":                                "ls --limit=200 --format=html -- gap",
		"/ls?json=true":                             "ls --json --",
		"/ls?json=false":                            "ls --limit=200 --format=html --",
		"/ls?format=csv":                            "ls --format=csv --",
		"/status":                                   "status --format=html --",
		"/show?of=@1":                               "show --format=html -- @1",
		"/show?of=@1&exploration=true&json=true":    "show --exploration --json -- @1",
		"/show?measure=a&measure=b&of=@1":           "show --measure=a --measure=b --format=html -- @1",
		"/diff?q=@2&of=@1":                          "diff --format=html -- @1 @2",
		"/diff?of=@1:0&of=@2:1&format=latex":        "diff --format=latex -- @1:0 @2:1",
		"/diff?of=seed%3D0+bits%3D7&group=true":     "diff --group --format=html -- seed=0 bits=7",
		"/plot-walk?of=@1&format=svg&theme=dark":    "plot walk --theme=dark --format=svg -- @1",
		"/show?of=@1&format=html&file=true":         "show --format=html -- @1",
		"/compare?of=seed%3D0&of=seed%3D1&by=a%2Cb": "compare --by=a,b --format=html -- seed=0 seed=1",
	} {
		w := ask(h, target)
		got := strings.ReplaceAll(strings.Trim(strings.NewReplacer(`","`, " ", `" "`, " ", "\n", "").Replace(w.Body.String()),
			`[]"`), " --store="+store.Path(), "")
		if got != "podtrack "+want || w.Code != 200 {
			t.Errorf("%s is\n%s, not\n%s: status %d", target, got, want, w.Code)
		}
	}
}

// TestRefused: what cannot be answered is refused with its status and a remedy, as JSON to programs and as a page to
// browsers; no command is executed.
func TestRefused(t *testing.T) {
	o := local(filled(t))
	o.Execute = func(context.Context, []string, io.Writer, io.Writer) error {
		t.Error("a command is executed")
		return nil
	}
	h := newSite(o)
	for target, c := range map[string]struct {
		status       int
		says, remedy string
	}{
		"/shwo":                       {404, `no page "shwo"`, "did you mean show?"},
		"/plot":                       {404, `no page "plot"`, "diff, ls, show, status, plot-walk"},
		"/rm?of=@1":                   {404, `no page "rm"`, ""},
		"/label":                      {404, `no page "label"`, ""},
		"/site.css":                   {404, `no page "site.css"`, ""},
		"/assets/script.js":           {404, `no page "assets/script.js"`, ""},
		"/show/x":                     {404, `no page "show/x"`, ""},
		"/show%2f..%2fetc":            {404, `no page "show/../etc"`, ""},
		"/show?of=nobody":             {404, "nobody", "podtrack ls"},
		"/show?of=@99":                {404, "@99", ""},
		"/show?of=%00":                {404, `\x00`, ""},
		"/diff?of=moon%3D1&of=@1":     {400, `"moon"`, ""},
		"/diff?of=x:::&of=@1":         {400, "x:::", ""},
		"/show?of=@1&store=x":         {400, `show takes no parameter "store"`, "of, q, format, json, exploration"},
		"/show?of=@1&o=x":             {400, `show takes no parameter "o"`, ""},
		"/show?of=@1&columns=name":    {400, `show takes no parameter "columns"`, ""},
		"/plot-walk?of=@1&force=true": {400, `plot-walk takes no parameter "force"`, ""},
		"/ls?--store=x":               {400, `ls takes no parameter "--store"`, ""},
		"/ls?sort%3Dx=1":              {400, "", ""},
		"/ls?q=%zz":                   {400, "%zz", "encodeURIComponent"},
		"/ls?q=a;b":                   {400, "semicolon", ""},
	} {
		f := wantFailure(t, ask(h, target), c.status)
		if !strings.Contains(f.Error, c.says) || !strings.Contains(f.Remedy, c.remedy) {
			t.Errorf("%s: %s (%s)", target, f.Error, f.Remedy)
		}
		w := ask(h, target, browsing)
		if kind := w.Header().Get("Content-Type"); w.Code != c.status || kind != htmlKind ||
			!strings.Contains(w.Body.String(), `role="alert"`) || !strings.Contains(w.Body.String(), "<main") {
			t.Errorf("%s for a browser: status %d, %s: %.300s", target, w.Code, kind, w.Body)
		}
		if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("ETag") != "" {
			t.Errorf("%s: a browser may keep the failure: %v", target, w.Header())
		}
	}
}

// TestFailuresOfCommands: the status of an error is that of its kind, and nothing of it is HTML.
func TestFailuresOfCommands(t *testing.T) {
	o := local(filled(t))
	var failure error
	o.Execute = func(context.Context, []string, io.Writer, io.Writer) error { return failure }
	h := newSite(o)
	for i, c := range []struct {
		err    error
		status int
	}{
		{schema.Hint(errors.New("unknown theme <b>"), "the themes are light, dark"), 400},
		{report.ErrNoRuns, 404},
		{tracker.ErrPruned, 409},
		{tracker.ErrLocked, 503},
		{errors.New("who knows why <script>"), 500},
	} {
		failure = c.err
		target := fmt.Sprintf("/show?of=@1&measure=%d", i)
		wantFailure(t, ask(h, target), c.status)
		w := ask(h, target, browsing)
		body := w.Body.String()
		if w.Code != c.status || strings.Contains(body, "theme <b>") || strings.Contains(body, "why <script>") {
			t.Errorf("%v: status %d, %s", c.err, w.Code, w.Body)
		}
		if again := w.Header().Get("Retry-After"); (c.status == 503) != (again != "") {
			t.Errorf("%v: retry after %q", c.err, again)
		}
	}
}

// TestDifferenceIsAnswer: a command that ends with the verdict that runs differ has answered.
func TestDifferenceIsAnswer(t *testing.T) {
	o := local(filled(t))
	o.Execute = func(ctx context.Context, words []string, stdout, stderr io.Writer) error {
		return errors.Join(echo(ctx, words, stdout, stderr), cmdline.ErrDifference)
	}
	if w := ask(newSite(o), "/diff?of=@1&of=@2"); w.Code != 200 || !strings.Contains(w.Body.String(), `"diff"`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// TestNoStore: pages say what is missing, and show it as soon as it is there.
func TestNoStore(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	h := newSite(local(store))
	wantFailure(t, ask(h, "/"), 404)
	if w := ask(h, "/", browsing); w.Code != 404 || !strings.Contains(w.Body.String(), "podtrack.db") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	perform(t, store, 1, small(0))
	if w := ask(h, "/"); w.Code != 200 {
		t.Errorf("status %d once there is a store", w.Code)
	}
	ok(t, os.WriteFile(store.Path(), []byte("something else"), 0o666))
	wantFailure(t, ask(h, "/"), 409)
}

// TestTags asks again for what is there: it is neither computed nor sent unless what it is of has changed.
func TestTags(t *testing.T) {
	store := filled(t)
	o := local(store)
	var executed atomic.Int64
	o.Execute = func(ctx context.Context, words []string, stdout, stderr io.Writer) error {
		executed.Add(1)
		return echo(ctx, words, stdout, stderr)
	}
	h := newSite(o)
	run := idOf(t, small(0))
	ofRuns := []string{"/show?of=" + run, "/show?json=true&of=" + run, "/diff?of=" + run + "&of=" + idOf(t, small(1)),
		"/compare?of=seed%3D0&of=seed%3D1", "/plot-walk?format=svg&of=" + run + ":1"}
	ofStore := []string{"/", "/status", "/ls?q=seed%3D0&json=true"}
	all := slices.Concat(ofRuns, ofStore)
	tags := map[string]string{}
	for _, target := range all {
		w := ask(h, target)
		tags[target] = w.Header().Get("ETag")
		if w.Code != 200 || tags[target] == "" || w.Header().Get("Cache-Control") != "private, no-cache" {
			t.Fatalf("%s: status %d, %v: %s", target, w.Code, w.Header(), w.Body)
		}
		if again := ask(h, target); again.Body.String() != w.Body.String() || again.Header().Get("ETag") != tags[target] {
			t.Errorf("%s: another answer: %s", target, again.Body)
		}
	}
	if n := executed.Load(); n != int64(len(all)) {
		t.Errorf("%d commands for %d documents", n, len(all))
	}
	again := func(h http.Handler, target string) int {
		w := ask(h, target, header("If-None-Match", tags[target]))
		if w.Code == 304 && w.Body.Len() > 0 {
			t.Errorf("%s: an answer that the client has is sent", target)
		}
		return w.Code
	}
	for _, target := range all {
		if code := again(h, target); code != 304 {
			t.Errorf("%s: status %d for what the client has", target, code)
		}
	}
	perform(t, store, 1, small(7))
	for _, target := range ofRuns {
		if code := again(h, target); code != 304 {
			t.Errorf("%s: status %d after another run went on", target, code)
		}
	}
	for _, target := range ofStore {
		if code := again(h, target); code != 200 {
			t.Errorf("%s: status %d after a run was added", target, code)
		}
	}
	executed.Store(0)
	perform(t, store, 4, small(0))
	for _, target := range ofRuns {
		if code := again(h, target); code != 200 {
			t.Errorf("%s: status %d after its run went on", target, code)
		}
		if code := again(newSite(o), target); code != 200 {
			t.Errorf("%s: status %d of another server", target, code)
		}
	}
	compared := ofRuns[2]
	before := ask(h, compared).Header().Get("ETag")
	ok(t, store.Update(t.Context(), func(tx *tracker.Tx) error {
		id, err := schema.RunID(small(1), nil)
		if err != nil {
			return err
		}
		return tx.UpdateAnnotation(id, func(a *tracker.Annotation) { a.Note = "a note" })
	}))
	if after := ask(h, compared).Header().Get("ETag"); after == before {
		t.Error("the tag is the same after a note was written")
	}
}

// TestAssets: what all pages share is sent once, and nothing else of the program is a file.
func TestAssets(t *testing.T) {
	h := newSite(local(storeAt(filepath.Join(t.TempDir(), "none.db"))))
	for name, kind := range map[string]string{"script.js": "text/javascript", "idiomorph.js": "text/javascript",
		"style.css": "text/css", "icon.svg": "image/svg+xml", "idiomorph.txt": "text/plain"} {
		w := ask(h, "/"+name)
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) || w.Body.Len() == 0 {
			t.Errorf("%s: status %d, %v", name, w.Code, w.Header())
		}
		if again := ask(h, "/"+name, header("If-None-Match", w.Header().Get("ETag"))); again.Code != 304 ||
			again.Body.Len() > 0 {
			t.Errorf("%s again: status %d", name, again.Code)
		}
	}
	if all := assets(); len(all) != 5 {
		t.Errorf("%d files are served", len(all))
	}
}

// TestFiles: a file has a name and no frame, and a picture or a table is shown in the browser.
func TestFiles(t *testing.T) {
	h := newSite(local(filled(t)))
	for target, want := range map[string]string{
		"/show?of=@1&format=html&file=true":   "attachment; filename=show--1.html text/html; charset=utf-8",
		"/plot-walk?of=@1&format=svg":         "inline; filename=plot-walk--1.svg image/svg+xml",
		"/plot-walk?of=@1:0&format=png":       "inline; filename=plot-walk--1-0.png image/png",
		"/plot-walk?of=@1&format=pdf":         "inline; filename=plot-walk--1.pdf application/pdf",
		"/ls?format=csv":                      "inline; filename=ls.csv text/csv; charset=utf-8",
		"/ls?format=latex&file=true":          "attachment; filename=ls.latex text/plain; charset=utf-8",
		"/ls?q=tag!%3D%22%2F..%2F&format=csv": `inline; filename="ls-tag-=--..-.csv" text/csv; charset=utf-8`,
		"/show?of=@1":                         " text/html; charset=utf-8",
		"/show?of=@1&json=true":               " application/json",
	} {
		w := ask(h, target)
		if got := w.Header().Get("Content-Disposition") + " " + w.Header().Get("Content-Type"); got != want || w.Code != 200 {
			t.Errorf("%s: %s, want %s: status %d: %s", target, got, want, w.Code, w.Body)
		}
	}
	for n, shown := range map[int]int{75: 75, 76: 75} { // of 80, five are those of "show-"
		a := asked{served: served{path: "show"}, args: []string{strings.Repeat("x", n)}, form: "csv"}
		if name := a.fileName(); strings.Count(name, "x") != shown {
			t.Errorf("%d letters are a file's name in %s", n, name)
		}
	}
}

// TestWorkLimits: what a limit allows is served, and one more is refused by an error that names the limit.
func TestWorkLimits(t *testing.T) {
	s := &site{pages: servedCommands()}
	terms := func(n int) error {
		r, err := http.NewRequest(http.MethodGet, "/ls?"+url.Values{"q": slices.Repeat([]string{"x"}, n)}.Encode(), nil)
		ok(t, err)
		_, err = s.parse(r)
		return err
	}
	runs := func(name string, n int) error {
		a := asked{served: served{Command: cmdline.Command{Name: name}}}
		return a.check(slices.Repeat([]report.Run{{Spec: small(0)}}, n))
	}
	states := func(bits int64) error {
		spec := small(0)
		spec.Env.Params["bits"] = bits
		return asked{served: served{Command: cmdline.Command{Name: "why"}}}.check([]report.Run{{Name: "a", Spec: spec}})
	}
	schematest.Limits{
		{"terms", "1001 times q … 1000", terms(1000), terms(1001)},
		{"runs", "1001 runs: more than 1000 … choose fewer runs", runs("diff", 1000), runs("diff", 1001)},
		{"runs of a figure", "2001 runs: more than 2000 … podtrack plot walk", runs("plot walk", 2000),
			runs("plot walk", 2001)},
		{"states", "8388608 states, and only up to 4194304 … podtrack why", states(22), states(23)},
	}.Check(t)
	ok(t, runs("ls", 100_000))
}

// TestTagWhileRunning: what a process saves within an iteration does not change the tag of its run, and the end of the
// session does.
func TestTagWhileRunning(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	ok(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: small(0), Target: 3, Session: &tracker.Session{}})
	ok(t, err)
	ok(t, w.Flush(t.Context()))
	h, target := newSite(local(store)), "/show?of="+idOf(t, small(0))
	tag := func() string { return ask(h, target).Header().Get("ETag") }
	before := tag()
	ok(t, run.SealCheckpoint([]byte("state"), nil))
	ok(t, w.Flush(t.Context()))
	if within := tag(); within != before || before == "" {
		t.Errorf("the tag was %s, and is %s in the same iteration", before, within)
	}
	run.Release(nil)
	ok(t, w.Flush(t.Context()))
	if after := tag(); after == before {
		t.Error("the tag is the same after the session")
	}
	ok(t, w.Close(t.Context()))
}

// TestStoreChangesMeanwhile: a document of a store that changed while it was made is made again, and one of a store
// that changes each time is not kept.
func TestStoreChangesMeanwhile(t *testing.T) {
	store := filled(t)
	o := local(store)
	executed, changes, runs := 0, 1, 3
	o.Execute = func(ctx context.Context, words []string, stdout, stderr io.Writer) error {
		if executed++; executed <= changes {
			perform(t, store, runs+executed, small(0))
		}
		_, err := fmt.Fprint(stdout, executed)
		return err
	}
	h, target := newSite(o), "/show?of="+idOf(t, small(0))
	if w := ask(h, target); w.Body.String() != "2" || w.Header().Get("ETag") == "" {
		t.Errorf("after one change: %s, %v", w.Body, w.Header())
	}
	executed, changes, runs = 0, 2*tries, 20
	perform(t, store, 20, small(0))
	if w := ask(h, target); w.Body.String() != fmt.Sprint(tries) || w.Header().Get("ETag") != "" {
		t.Errorf("of a store that always changes: %s, %v", w.Body, w.Header())
	}
}
