package web

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// maxForm is the largest size of a form, in bytes.
const maxForm = 64 << 10

// label changes the name, the tags and the note of a run by podtrack label, where the server lets pages do so, and
// shows the run again.
func (s *site) label(w http.ResponseWriter, r *http.Request) {
	if err := s.saveLabels(w, r); err != nil {
		s.refuse(w, r, asked{path: "label", form: "html"}, clientError(err))
		return
	}
	w.Header().Set("Location", "show?of="+url.QueryEscape(r.PostForm.Get("run")))
	w.WriteHeader(http.StatusSeeOther)
}

func (s *site) saveLabels(w http.ResponseWriter, r *http.Request) error {
	if !s.Edit {
		return schema.Hint(Errorf(http.StatusForbidden, "this server only reads"), "podtrack serve --edit lets pages edit "+
			"names, tags and notes")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		if _, is := errors.AsType[*http.MaxBytesError](err); is {
			return schema.Hint(Errorf(http.StatusRequestEntityTooLarge, "a form of over %d bytes", maxForm), "send less")
		}
		return Errorf(http.StatusBadRequest, "the form: %v", err)
	}
	var run report.Run
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) (err error) {
		run, err = report.LoadRun(tx, r.PostForm.Get("run"))
		return err
	})
	if err != nil {
		return err
	}
	words := []string{"podtrack", "label", "--store=" + s.Store.Path()}
	before := len(words)
	// What the page showed is sent along: only what its reader has changed is changed.
	changed := func(field string) (now, was string, is bool) {
		text := func(name string) string {
			return strings.TrimSpace(strings.ReplaceAll(r.PostForm.Get(name), "\r\n", "\n"))
		}
		now, was = text(field), text("was-"+field)
		return now, was, r.PostForm.Has(field) && now != was
	}
	if name, _, is := changed("name"); is && name == "" && run.Name != "" {
		words = append(words, "--unname")
	} else if is && name != run.Name {
		words = append(words, "--name="+name)
	}
	if now, was, is := changed("tags"); is {
		tags, before := strings.Fields(now), strings.Fields(was)
		for _, tag := range tags {
			if !slices.Contains(before, tag) && !slices.Contains(run.Tags, tag) {
				words = append(words, "--tag="+tag)
			}
		}
		for _, tag := range before {
			if !slices.Contains(tags, tag) && slices.Contains(run.Tags, tag) {
				words = append(words, "--untag="+tag)
			}
		}
	}
	if note, _, is := changed("note"); is {
		words = append(words, "--note="+note)
	}
	if len(words) == before {
		return nil
	}
	return s.Execute(r.Context(), append(words, "--", run.ID.String()), io.Discard, io.Discard)
}
