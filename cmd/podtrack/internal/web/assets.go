package web

import (
	"net/http"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// assetFolder holds the files whose names contain a hash of their contents.
const assetFolder = "/assets/"

// asset sends a file of the page, or the page itself at one of its own addresses.
func (s *server) asset(w http.ResponseWriter, r *http.Request) {
	file, found := s.page[r.URL.Path]
	if !found && isFile(r.URL.Path) {
		s.refuse(w, schema.Hint(coded(http.StatusNotFound, "there is no %q", r.URL.Path),
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
