package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// An address is a command line: /show?of=rooms&exploration=true is podtrack show rooms --exploration. Each value of
// "of" is an argument, q has arguments as one types them, and every other parameter is a flag, of those that the
// command lets a page give.

// cost is how much work an answer is. Requests of each cost have a queue of their own.
type cost int

const (
	light   cost = iota // takes milliseconds
	heavy               // can take minutes of processor time
	drawing             // as much work as heavy, but it must not wait behind that
)

// served is a command that a page may ask for.
type served struct {
	cmdline.Command
	path string
	cost cost
}

// servedCommands returns the commands that pages show.
func servedCommands() (all []served) {
	for _, c := range cmdline.Commands() {
		if c.Served == nil {
			continue
		}
		page := served{Command: c, path: strings.ReplaceAll(c.Name, " ", "-"), cost: heavy}
		switch {
		case strings.HasPrefix(c.Name, "plot "), c.Name == "why":
			page.cost = drawing
		case slices.Contains([]string{"ls", "status", "show", "options"}, c.Name):
			page.cost = light
		}
		all = append(all, page)
	}
	return all
}

// asked is what a request asks for.
type asked struct {
	served
	path, query string // of the address
	args, flags []string
	form        string // of the answer: "json", or a value of --format
	isFile      bool   // it is a document that needs no server
	isMessage   bool   // a message is shown in place of the document
	isLimited   bool   // a limit is given
	seen        sight
	chosen      []string
}

// sight is what a page shows of a store beside what its command prints, as of one moment.
type sight struct {
	runs    []report.Run // that the arguments name or select
	studies []string
}

// maxTerms bounds how many values a parameter may have.
const maxTerms = 1000

// firstRuns is how many runs a list without a limit shows, and maxListed how many digits a limit may have at most.
const (
	firstRuns = "200"
	maxListed = "99999"
)

// parse reads what a request asks for.
func (s *site) parse(r *http.Request) (a asked, err error) {
	a.path, a.query, a.form = strings.TrimPrefix(r.URL.Path, "/"), r.URL.RawQuery, table.HTML
	a.path = cmp.Or(a.path, "ls")
	at := slices.IndexFunc(s.pages, func(p served) bool { return p.path == a.path })
	if at < 0 {
		names := textfmt.Map(s.pages, func(p served) string { return p.path })
		return a, schema.Hint(Errorf(http.StatusNotFound, "there is no page %q", a.path), "%s",
			textfmt.DidYouMean(a.path, "pages", names))
	}
	a.served = s.pages[at]
	q, err := url.ParseQuery(a.query)
	if err != nil {
		return a, schema.Hint(Errorf(http.StatusBadRequest, "the parameters: %v", err),
			"escape them as encodeURIComponent does")
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		values := q[name]
		if len(values) > maxTerms {
			return a, schema.Hint(Errorf(http.StatusBadRequest, "%d times %s", len(values), name), "give at most %d", maxTerms)
		}
		value := values[len(values)-1]
		switch {
		case name == "of":
			a.args = append(values, a.args...)
		case name == "q":
			words := report.SplitSelection(slices.DeleteFunc(values, isBlank))
			a.args = append(a.args, s.search(r.Context(), words, a.Name == "ls")...)
		case name == "chosen":
			a.chosen = values
		case name == "json":
			if value != "false" {
				a.form = name
			}
		case name == "format":
			a.form = value
		case name == "file":
			a.isFile = value == "true"
		case name == "limit" && len(strings.TrimLeft(value, "0")) > len(maxListed):
			return a, schema.Hint(Errorf(http.StatusBadRequest, "limit %s", value), "at most %s runs are listed", maxListed)
		case !slices.Contains(a.Served, name):
			return a, schema.Hint(Errorf(http.StatusBadRequest, "%s takes no parameter %q", a.path, name), "it takes %s",
				strings.Join(a.parameters(), ", "))
		case !isBlank(value):
			for _, value := range values {
				if name != "label" {
					value = strings.ReplaceAll(value, ", ", ",")
				}
				a.flags = append(a.flags, strings.TrimSuffix("--"+name+"="+value, "=true"))
			}
		}
	}
	a.isLimited = q.Has("limit") || q.Has("best")
	if a.Name == "ls" && a.form == table.HTML && !a.isLimited {
		a.flags = append(a.flags, "--limit="+firstRuns)
	}
	return a, nil
}

// parameters returns the names of those that an address may have.
func (a asked) parameters() []string {
	own := []string{"of", "q", "format"}
	if a.cost != drawing || a.Name == "why" {
		own = append(own, "json")
	}
	served := slices.DeleteFunc(slices.Sorted(slices.Values(a.Served)), func(s string) bool { return s == "format" })
	return append(own, served...)
}

// search returns a selection in which words that are no term and name no run are looked for in what runs are about; for
// a list, which may be of several, also those that are a name.
func (s *site) search(ctx context.Context, words []string, isList bool) (selection []string) {
	hasTerms := slices.ContainsFunc(words, report.IsTerm)
	_ = s.Store.View(ctx, func(tx *tracker.Tx) error { // the error of a store that cannot be read follows
		hasTerms = hasTerms || slices.ContainsFunc(words, func(word string) bool {
			run, err := report.LoadRun(tx, word)
			return err != nil || isList && run.Name == word
		})
		return nil
	})
	for _, word := range words {
		if hasTerms && !report.IsTerm(word) {
			word = "about~" + report.QuoteValue(word)
		}
		selection = append(selection, word)
	}
	return selection
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// words returns the words of the command.
func (a asked) words(store string) []string {
	words := append([]string{"podtrack"}, strings.Fields(a.Name)...)
	words = append(words, "--store="+store)
	if words = append(words, a.flags...); a.form == "json" {
		words = append(words, "--json")
	} else {
		words = append(words, "--format="+a.form)
	}
	return append(append(words, "--"), a.args...)
}

// selected returns the runs that the arguments name or select.
func (a asked) selected(tx *tracker.Tx) (runs []report.Run, err error) {
	for _, arg := range a.args {
		refs := report.SplitSelection([]string{arg})
		for i, ref := range refs {
			if parsed, err := report.ParseRef(ref); err == nil && !report.IsTerm(ref) {
				refs[i] = parsed.Run
			}
		}
		found, err := report.Select(tx, refs)
		if err != nil {
			return nil, err
		}
		runs = append(runs, found...)
	}
	return runs, nil
}

// maxStates bounds what is read at once of an environment: 32 MiB of values.
const maxStates = 1 << 22

// most are the largest numbers of runs that commands are asked about at once: what a processor does in some minutes.
var most = map[string]int{"diff": 1000, "compare": 20_000, "show": 20_000, "options": 2000, "evaluate": 200}

// check returns an error for more than is served.
func (a asked) check(runs []report.Run) error {
	limit := cmp.Or(most[a.Name], 2000)
	if a.Name == "ls" || a.Name == "status" {
		return nil
	}
	if len(runs) > limit {
		return schema.Hint(Errorf(http.StatusConflict, "%d runs: more than %d that are served at once", len(runs), limit),
			"choose fewer runs, or ask the command line: podtrack %s", a.Name)
	}
	for _, run := range runs {
		if env, err := pod.NewEnvForSpec(run.Spec); err == nil && env.States() > maxStates {
			return schema.Hint(Errorf(http.StatusConflict, "run %s: its environment has %d states, and only up to %d are served",
				run.Label(), env.States(), maxStates), "the command line has no such bound: podtrack %s", a.Name)
		}
	}
	return nil
}

// tag returns an ETag of what the answer depends on: of the state of the store where that is a list of runs, else of
// the runs. Tags of different processes differ, since they may be of different versions.
func (s *site) tag(ctx context.Context, a asked) (tag string, seen sight, err error) {
	state, planned := "", []byte(nil)
	err = s.Store.View(ctx, func(tx *tracker.Tx) error {
		studies, err := tx.Studies()
		if err == nil {
			planned, err = json.Marshal(studies)
		}
		seen.studies = textfmt.Map(studies, func(plan *runset.Plan) string { return plan.Study.Name })
		switch {
		case err != nil:
		case a.Name == "ls" || a.Name == "status" || len(a.args) == 0:
			state, err = stateOf(tx)
		default:
			seen.runs, err = a.selected(tx)
		}
		if err == nil && a.Name == "ls" && !a.isLimited && a.form != table.HTML {
			var total int
			if total, _, err = report.LoadNewest(tx, 0, 0); len(fmt.Sprint(total)) > len(maxListed) {
				err = schema.Hint(Errorf(http.StatusConflict, "the store has %d runs", total), "add limit=, at most %s", maxListed)
			}
		}
		return err
	})
	if err == nil {
		err = a.check(seen.runs)
	}
	shown := textfmt.Map(seen.runs, func(r report.Run) string {
		return fmt.Sprint(r.ID, r.Name, r.Iterations, r.Target, r.Status, r.Head, r.Failure, r.Tags, r.Note, r.Ancestors)
	})
	now := time.Time{} // of what has ages in it
	if a.Name == "status" || a.Name == "ls" && strings.Contains(a.query, "age") {
		now = time.Now().Truncate(time.Second)
	}
	return tagOf(s.instance, a.path, a.query, state, shown, planned, now), seen, err
}

// patience is how long a page waits for its document before it says how far that is.
const patience = 2 * time.Second

// document answers a request with what a command prints.
func (s *site) document(w http.ResponseWriter, r *http.Request) {
	a, err := s.parse(r)
	var tag string
	if err == nil {
		tag, a.seen, err = s.tag(r.Context(), a)
	}
	if err == nil && clientHas(r, tag) {
		s.sendTagged(w, r, reply{Tag: tag})
		return
	}
	if err != nil {
		s.refuse(w, r, a, err)
		return
	}
	answer, j := s.jobs.find(tag, a.path+"?"+a.query, a.cost, func(ctx context.Context, j *job) (reply, error) {
		return s.compute(ctx, a, tag, j)
	})
	if j != nil {
		defer s.jobs.leave(j)
		wait := time.NewTimer(longest)
		if a.form == table.HTML && !a.isFile {
			wait.Reset(patience)
		}
		defer wait.Stop()
		select {
		case <-j.done:
			if answer, err = j.answer, j.err; err != nil {
				s.refuse(w, r, a, err)
				return
			}
		case <-wait.C:
			w.Header().Set("Refresh", "1")
			s.Send(w, http.StatusAccepted, reply{Kind: htmlKind, Body: s.waiting(a, j)})
			return
		case <-r.Context().Done():
			return
		}
	}
	s.sendTagged(w, r, answer)
}

// tries is how often a document is made again of a store that changed meanwhile.
const tries = 3

// compute executes the command. What a document says is of one moment: it is made again if the store has changed, but
// for a page that takes long, which would be late each time.
func (s *site) compute(ctx context.Context, a asked, tag string, j *job) (answer reply, err error) {
	begin := time.Now()
	for n := 0; n < tries && (n == 0 || a.form != table.HTML || time.Since(begin) < patience); n++ {
		var out bytes.Buffer
		within := s.memo.Within(cmdline.WithinServer(ctx))
		if a.form == table.HTML && !a.isFile {
			within = s.frame(a).Within(within)
		}
		err := s.Execute(within, a.words(s.Store.Path()), &out, j)
		isAnswer := errors.Is(err, cmdline.ErrDifference) || errors.Is(err, report.ErrNoRuns) && a.form != table.HTML
		if err != nil && (!isAnswer || out.Len() == 0) {
			return answer, err
		}
		answer = reply{Kind: kinds[a.form], Body: out.Bytes(), Tag: tag, File: a.fileName()}
		now, seen, err := s.tag(ctx, a)
		if err != nil || now == tag {
			return answer, err
		}
		tag, a.seen = now, seen
	}
	answer.Tag = "" // it is of several moments, and is not kept
	return answer, nil
}

// kinds maps forms of answers to content types.
var kinds = map[string]string{"json": jsonKind, table.HTML: htmlKind, "png": "image/png", "svg": "image/svg+xml",
	"pdf": "application/pdf", "csv": "text/csv; charset=utf-8", "txt": textKind, "tex": textKind, "latex": textKind,
	"markdown": textKind, "table": textKind}

// maxFileName is the length of a file's name in bytes, without the format.
const maxFileName = 80

// fileName returns the Content-Disposition under which a browser saves a figure or a table, "" for a page.
func (a asked) fileName() string {
	how := "inline"
	switch {
	case a.isFile:
		how = "attachment"
	case a.form == table.HTML, a.form == "json":
		return ""
	}
	name := notInFileName().ReplaceAllString(strings.Join(append([]string{a.served.path}, a.args...), "-"), "-")
	return mime.FormatMediaType(how, map[string]string{"filename": fmt.Sprintf("%.*s.%s", maxFileName, name, a.form)})
}

// notInFileName matches a character that file names should not contain.
var notInFileName = textfmt.Pattern(`[^0-9A-Za-z+\-.=_,]`)

// refuse sends an error, as a page to browsers that ask for one.
func (s *site) refuse(w http.ResponseWriter, r *http.Request, a asked, err error) {
	if err = clientError(err); a.form == table.HTML && strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.setRetry(w, err)
		s.Send(w, statusOf(err), reply{Kind: htmlKind, Body: s.failure(a, err)})
		return
	}
	s.Refuse(w, err)
}
