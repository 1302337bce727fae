package web

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// dist holds the page as its build produced it.
//
//go:embed all:dist
var dist embed.FS

// kinds maps file extensions to content types.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2",
	".json": jsonKind, ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}

// assetFolder holds the files whose names contain a hash of their contents.
const assetFolder = "/assets/"

// page returns every file of the page by its URL path. Requests are served from this
// map alone, never from the file system.
func page() map[string]answer {
	files := map[string]answer{}
	err := fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := dist.ReadFile(name)
		kind, known := kinds[path.Ext(name)]
		if !known {
			kind = binaryKind
		}
		files[strings.TrimPrefix(name, "dist")] = answer{kind: kind, body: body,
			tag: fmt.Sprintf(`"%.16x"`, sha256.Sum256(body))}
		return err
	})
	if err != nil {
		panic("web: the page is in the binary and cannot be read: " + err.Error())
	}
	return files
}

// asset sends a file of the page, or the page itself at one of its own addresses.
func (s *server) asset(w http.ResponseWriter, r *http.Request) {
	file, found := s.page[r.URL.Path]
	if !found && isFile(r.URL.Path) {
		s.refuse(w, schema.Hint(coded(http.StatusNotFound, "there is no %q", shown(r.URL.Path)),
			"the page begins at /"))
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	switch {
	case !found:
		file = s.page["/index.html"]
	case strings.HasPrefix(r.URL.Path, assetFolder):
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Header().Set("ETag", file.tag)
	if has(r, file.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	s.send(w, http.StatusOK, file)
}

// isFile reports whether an address can only be that of a file. A dot alone does not
// tell: the page's own addresses contain names of runs, which may have dots.
func isFile(address string) bool {
	name := strings.TrimPrefix(address, "/")
	return strings.HasPrefix(address, assetFolder) || !strings.Contains(name, "/") && strings.Contains(name, ".")
}
