package web

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
)

// TestPage asks for what is of the page, and for what only looks like it.
func TestPage(t *testing.T) {
	h := newSite(local(storeAt(filepath.Join(t.TempDir(), "none.db"))))
	for _, target := range []string{"/", "/run/abc", "/run/my.run/option/3/2+", "/compare?a=x&b=y",
		"/run/..%2f..%2fetc%2fpasswd", "/run/%00"} {
		w := ask(h, target)
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") ||
			!strings.Contains(w.Body.String(), "<title>podtrack") {
			t.Errorf("%s: status %d, %s", target, w.Code, w.Header().Get("Content-Type"))
		}
		tag := w.Header().Get("ETag")
		if w := ask(h, target, header("If-None-Match", tag)); w.Code != http.StatusNotModified || w.Body.Len() > 0 ||
			tag == "" {
			t.Errorf("%s: status %d for ETag %s", target, w.Code, tag)
		}
	}
	for _, target := range []string{"/favicon.nil", "/assets/none.js", "/assets/..%2findex.html", "/assets/", "/go.mod"} {
		wantFailure(t, ask(h, target), 404)
	}
	for name := range page("") {
		w := ask(h, name)
		immutable := strings.Contains(w.Header().Get("Cache-Control"), "immutable")
		if w.Code != 200 || immutable != strings.HasPrefix(name, assetFolder) ||
			w.Header().Get("Content-Type") == reply.BinaryKind {
			t.Errorf("%s: status %d, %v", name, w.Code, w.Header())
		}
	}
}
