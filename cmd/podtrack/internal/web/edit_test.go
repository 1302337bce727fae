package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// post sends a form as a page of the server does.
func post(h http.Handler, target string, form url.Values, change ...func(*http.Request)) *httptest.ResponseRecorder {
	return ask(h, target, slices.Concat([]func(*http.Request){func(r *http.Request) {
		body := form.Encode()
		r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(strings.NewReader(body)), int64(len(body))
	}, header("Content-Type", "application/x-www-form-urlencoded"), header("Origin", "http://127.0.0.1:8080"),
		header("Sec-Fetch-Site", "same-origin"), header("Sec-Fetch-Mode", "navigate")}, change)...)
}

// labelled returns a server that can edit a run with a name, tags and a note, and the words of its last command.
func labelled(t *testing.T) (h http.Handler, o *Options, words *[]string) {
	t.Helper()
	store, words := filled(t), new([]string)
	ok(t, store.Update(t.Context(), func(tx *tracker.Tx) error {
		id, err := schema.RunID(small(0), nil)
		if err != nil {
			return err
		}
		return errors.Join(tx.SetName(id, "first"), tx.AddTag(id, "a"), tx.AddTag(id, "b"),
			tx.UpdateAnnotation(id, func(a *tracker.Annotation) { a.Note = "two\nlines" }))
	}))
	settings := local(store)
	settings.Edit = true
	settings.Execute = func(_ context.Context, w []string, _, _ io.Writer) error {
		*words = w
		if slices.Contains(w, "--tag=a,b") {
			return schema.Hint(errors.New("invalid tag"), "use letters")
		}
		return nil
	}
	return newSite(settings), &settings, words
}

// TestLabel: a form becomes what podtrack label is given to make the run as the form says, and nothing if it is so.
func TestLabel(t *testing.T) {
	h, o, words := labelled(t)
	id := idOf(t, small(0))
	for name, c := range map[string]struct {
		name, tags, note string
		want             string
	}{
		"nothing":   {"first", "a b", "two\r\nlines", ""},
		"spaces":    {" first ", "  b   a ", "two\nlines", ""},
		"a name":    {"other", "a b", "two\nlines", "--name=other"},
		"no name":   {"", "a b", "two\nlines", "--unname"},
		"tags":      {"first", "b --note=x", "two\nlines", "--tag=--note=x --untag=a"},
		"a note":    {"first", "a b", "", "--note="},
		"all of it": {"-x", "c", "-y", "--name=-x --tag=c --untag=a --untag=b --note=-y"},
	} {
		*words = nil
		w := post(h, "/label", url.Values{"run": {id}, "name": {c.name}, "tags": {c.tags}, "note": {c.note},
			"was-name": {"first"}, "was-tags": {"a b"}, "was-note": {"two\nlines"}})
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "show?of="+id {
			t.Errorf("%s: status %d to %q: %s", name, w.Code, w.Header().Get("Location"), w.Body)
		}
		want := strings.Join(strings.Fields("podtrack label --store="+o.Store.Path()+" "+c.want+" -- "+id), " ")
		if c.want == "" {
			want = ""
		}
		if got := strings.Join(*words, " "); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

// TestLabelMeanwhile: what others changed since the page was shown stays, and so does what a form does not have.
func TestLabelMeanwhile(t *testing.T) {
	h, o, words := labelled(t)
	id := idOf(t, small(0))
	post(h, "/label", url.Values{"run": {id}, "name": {""}, "tags": {"a new"}, "note": {"mine"},
		"was-name": {""}, "was-tags": {"a gone"}, "was-note": {""}})
	want := "podtrack label --store=" + o.Store.Path() + " --tag=new --note=mine -- " + id
	if got := strings.Join(*words, " "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	*words = nil
	if post(h, "/label", url.Values{"run": {id}}); *words != nil {
		t.Errorf("of a form without fields: %q", *words)
	}
}

// TestLabelRefused: nothing is changed by a form that is another page's, too large, wrong or not allowed.
func TestLabelRefused(t *testing.T) {
	h, o, words := labelled(t)
	reads := *o
	reads.Edit = false
	keeps := *o
	keeps.Token = NewToken()
	form := func(change func(url.Values)) url.Values {
		v := url.Values{"run": {idOf(t, small(0))}, "name": {"other"}, "tags": {"a b"}, "note": {"n"}}
		change(v)
		return v
	}
	plain := form(func(url.Values) {})
	for name, c := range map[string]struct {
		h      http.Handler
		form   url.Values
		change []func(*http.Request)
		status int
	}{
		"without --edit":     {newSite(reads), plain, nil, 405},
		"without the token":  {newSite(keeps), plain, nil, 401},
		"of another origin":  {h, plain, []func(*http.Request){header("Origin", "http://attacker.example")}, 403},
		"of a file":          {h, plain, []func(*http.Request){header("Origin", "null")}, 403},
		"of another site":    {h, plain, []func(*http.Request){header("Sec-Fetch-Site", "cross-site")}, 403},
		"of another port":    {h, plain, []func(*http.Request){header("Origin", "http://127.0.0.1:9")}, 403},
		"of a rebound name":  {h, plain, []func(*http.Request){host("attacker.example:8080")}, 403},
		"of no run":          {h, form(func(v url.Values) { v.Set("run", "nobody") }), nil, 404},
		"of nothing":         {h, url.Values{}, nil, 404},
		"too large":          {h, form(func(v url.Values) { v.Set("note", strings.Repeat("x", maxForm)) }), nil, 413},
		"an impossible name": {h, form(func(v url.Values) { v.Set("run", "\x00") }), nil, 404},
	} {
		*words = nil
		wantFailure(t, post(c.h, "/label", c.form, c.change...), c.status)
		if *words != nil {
			t.Errorf("%s: executed %q", name, *words)
		}
	}
	invalid := form(func(v url.Values) { v.Set("tags", "a,b") })
	wantFailure(t, post(h, "/label", invalid), 400)
	if w := post(h, "/label", invalid, browsing); w.Code != 400 || w.Header().Get("Content-Type") != htmlKind ||
		!strings.Contains(w.Body.String(), "use letters") {
		t.Errorf("for a browser: status %d, %s", w.Code, w.Body)
	}
}

// TestEditForm: the page of a run has the form where it can be used, with what the run has now.
func TestEditForm(t *testing.T) {
	_, o, _ := labelled(t)
	s := site{Options: *o, pages: servedCommands()}
	for target, want := range map[string]bool{"/show?of=first": true, "/show?of=first&exploration=true": false, "/": false,
		"/diff?of=first&of=@1": false} {
		r, err := http.NewRequest(http.MethodGet, target, nil)
		ok(t, err)
		a, err := s.parse(r)
		ok(t, err)
		_, a.seen, err = s.tag(t.Context(), a)
		ok(t, err)
		below := s.frame(a).Below
		if got := strings.Contains(below, "<form"); got != want {
			t.Errorf("%s has the form: %t", target, got)
		}
		if want && !(strings.Contains(below, `value="first"`) && strings.Contains(below, `value="a b"`) &&
			strings.Contains(below, ">two\nlines</textarea>") && strings.Contains(below, idOf(t, small(0)))) {
			t.Errorf("the form is %s", below)
		}
	}
	s.Edit = false
	if r, err := http.NewRequest(http.MethodGet, "/show?of=first", nil); err == nil {
		a, _ := s.parse(r)
		_, a.seen, _ = s.tag(t.Context(), a)
		if below := s.frame(a).Below; strings.Contains(below, "<form") {
			t.Errorf("a server that only reads has the form %s", below)
		}
	}
}
