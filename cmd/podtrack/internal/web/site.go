package web

import (
	"cmp"
	"crypto/rand"
	"embed"
	"fmt"
	"net/http"
	"path"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/document"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/tracker"
)

// Options are the settings of a server.
type Options struct {
	Store   *tracker.Store
	Execute cmdline.Executor // of podtrack's commands
	Addr    string           // HOST:PORT that the server listens on
	Hosts   []string         // names of hosts that lead here, beside those of this machine
	Token   string           // the token that a client must know, "" for none
	Edit    bool             // whether names, tags and notes can be changed
	Timeout time.Duration    // how long a client may take to send a request or to read each MiB of an answer; 0 means 30 s
}

// defaultTimeout is the default of [Options.Timeout].
const defaultTimeout = 30 * time.Second

// site is everything under /, behind a guard.
type site struct {
	Options
	sender
	door     door     // which lets in clients that know the token
	hosts    []string // host:port names of this machine, beside loopback's
	instance string   // an identifier that no other server process has, part of all tags
	pages    []served
	jobs     *jobs
	memo     *diff.Memo // of what documents, their figures and their numbers share
	watch    *watch
}

// newSite returns the handler of everything under /.
func newSite(o Options) http.Handler {
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	s := &site{Options: o, sender: sender{Timeout: o.Timeout}, door: newDoor(o.Token), hosts: hostsOf(o.Addr),
		instance: rand.Text(), pages: servedCommands(), jobs: newJobs(), memo: new(diff.Memo), watch: newWatch(o.Store)}
	mux := http.NewServeMux()
	for name, file := range assets() {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-cache")
			s.sendTagged(w, r, file)
		})
	}
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("POST /label", s.label)
	mux.Handle("GET /", gzhttp.GzipHandler(http.HandlerFunc(s.document)))
	return s.guard(mux)
}

// files are the script and what it needs.
//
//go:embed assets
var files embed.FS

// assets returns the files that all pages share, by their names.
func assets() map[string]reply {
	kinds := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}
	all := map[string]reply{}
	add := func(name string, body []byte) {
		all[name] = reply{Kind: kinds[path.Ext(name)], Body: body, Tag: tagOf(body)}
	}
	folder, _ := files.ReadDir("assets") // it is in the binary
	for _, file := range folder {
		body, _ := files.ReadFile("assets/" + file.Name())
		add(file.Name(), body)
	}
	add("style.css", []byte(document.Style))
	return all
}

// sendTagged sends an answer unless the client has it.
func (s *site) sendTagged(w http.ResponseWriter, r *http.Request, a reply) {
	if a.Tag != "" {
		w.Header().Set("ETag", a.Tag)
		if w.Header().Get("Cache-Control") == "" { // a browser keeps it, but asks each time whether it is current
			w.Header().Set("Cache-Control", "private, no-cache")
		}
	}
	if clientHas(r, a.Tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if a.File != "" {
		w.Header().Set("Content-Disposition", a.File)
	}
	s.Send(w, cmp.Or(a.Status, http.StatusOK), a)
}

// tagOf returns an ETag of anything that can be printed.
func tagOf(parts ...any) string { return fmt.Sprintf(`"%.16x"`, hashOf(parts...)) }
