package web

import (
	"fmt"
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
	if name := strings.TrimSpace(r.PostForm.Get("name")); name == "" && run.Name != "" {
		words = append(words, "--unname")
	} else if name != run.Name {
		words = append(words, "--name="+name)
	}
	tags := strings.Fields(r.PostForm.Get("tags"))
	for _, tag := range tags {
		if !slices.Contains(run.Tags, tag) {
			words = append(words, "--tag="+tag)
		}
	}
	for _, tag := range run.Tags {
		if !slices.Contains(tags, tag) {
			words = append(words, "--untag="+tag)
		}
	}
	if note := strings.ReplaceAll(r.PostForm.Get("note"), "\r\n", "\n"); note != run.Note {
		words = append(words, "--note="+note)
	}
	if len(words) == before {
		return nil
	}
	err = s.Execute(r.Context(), append(words, "--", run.ID.String()), io.Discard, io.Discard)
	if err != nil {
		err = fmt.Errorf("%w", err)
	}
	return err
}
