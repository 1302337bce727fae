package web

import (
	"net/http"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/schema"
)

// assetFolder holds the files whose names contain a hash of their contents.
const assetFolder = "/assets/"

// asset sends a file of the page, or the page itself at one of its own addresses.
func (s *site) asset(w http.ResponseWriter, r *http.Request) {
	file, found := s.page[r.URL.Path]
	if !found && isFile(r.URL.Path) {
		s.Refuse(w, schema.Hint(reply.Errorf(http.StatusNotFound, "there is no %q", r.URL.Path),
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
	w.Header().Set("ETag", file.Tag)
	if reply.ClientHas(r, file.Tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	s.Send(w, http.StatusOK, file)
}

// isFile reports whether an address can only be that of a file. A dot alone does not
// tell: the page's own addresses contain names of runs, which may have dots.
func isFile(address string) bool {
	name := strings.TrimPrefix(address, "/")
	return strings.HasPrefix(address, assetFolder) || !strings.Contains(name, "/") && strings.Contains(name, ".")
}
