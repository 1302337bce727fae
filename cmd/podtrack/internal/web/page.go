package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/api"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
)

// dist holds the page as its build produced it.
//
//go:embed all:dist
var dist embed.FS

// kinds maps file extensions to content types.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2",
	".json": reply.JSONKind, ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}

// page returns every file of the page by its URL path below that of the server. Requests are served from this
// map alone, never from the file system.
func page(below string) map[string]reply.Answer {
	files := map[string]reply.Answer{}
	err := fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := dist.ReadFile(name)
		if path.Ext(name) == ".html" { // which is sent at all addresses of the page, from which nothing relative leads
			body = bytes.ReplaceAll(body, []byte(`"./assets/`), []byte(`"`+below+`/assets/`))
		}
		kind, known := kinds[path.Ext(name)]
		if !known {
			kind = reply.BinaryKind
		}
		files[strings.TrimPrefix(name, "dist")] = reply.Answer{Kind: kind, Body: body,
			Tag: fmt.Sprintf(`"%.16x"`, sha256.Sum256(body))}
		return err
	})
	if err != nil {
		panic("web: the page is in the binary and cannot be read: " + err.Error())
	}
	return files
}

// Options are the settings of a server.
type Options struct {
	api.Options
	Addr  string // HOST:PORT that the server listens on
	Token string // the token that a client must know, "" for none
}

// site is the page and its API, behind a guard.
type site struct {
	Options
	reply.Sender
	door  door     // which lets in clients that know the token
	hosts []string // host:port names of this machine, beside loopback's
	page  map[string]reply.Answer
}

// newSite returns the handler of everything under /.
func newSite(o Options) http.Handler {
	o.Timeout = cmp.Or(o.Timeout, api.DefaultTimeout)
	door := newDoor(o.Token)
	s := &site{Options: o, Sender: reply.Sender{Timeout: o.Timeout}, door: door, hosts: hostsOf(o.Addr),
		page: page(door.path)}
	mux := http.NewServeMux()
	mux.Handle("/api/", api.New(o.Options))
	mux.HandleFunc("/", s.asset)
	return s.guard(mux)
}
