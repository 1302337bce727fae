package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// NewToken returns a random token that cannot be guessed.
func NewToken() string { return rand.Text() }

// admit reports whether a request may go on: it has the token in the cookie or, for
// programs, in an Authorization header. A request with ?token= gets the cookie and a
// redirect instead. admit answers all requests that it does not let through.
func (s *server) admit(w http.ResponseWriter, r *http.Request) bool {
	if s.Token == "" {
		return true
	}
	if token := r.URL.Query().Get("token"); token != "" && s.isToken(token) {
		s.remember(w, r)
		return false
	}
	if c, err := r.Cookie(s.cookie()); err == nil && s.isToken(c.Value) {
		return true
	}
	if token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); found && s.isToken(token) {
		return true
	}
	s.refuse(w, schema.Hint(coded(http.StatusUnauthorized, "this server asks for its token"),
		"open the whole address that podtrack serve printed"))
	return false
}

// isToken reports whether token is the server's. Its running time does not depend on
// where they differ.
func (s *server) isToken(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) == 1
}

// cookie returns the name of this server's cookie. The name is unique because browsers
// share cookies between ports.
func (s *server) cookie() string {
	return fmt.Sprintf("podtrack-%x", sha256.Sum256([]byte("podtrack/cookie/"+s.Token)))[:25]
}

// remember sets the cookie and redirects to the same address without the token. If the
// request came from another page, even a local file, the browser would not send the
// cookie with the redirected request; then remember sends a page that leads on by
// itself.
func (s *server) remember(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w,
		&http.Cookie{Name: s.cookie(), Value: s.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	q := r.URL.Query()
	q.Del("token")
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/\\"), RawQuery: q.Encode()}
	w.Header().Set("Cache-Control", "no-store")
	if site := r.Header.Get("Sec-Fetch-Site"); site != "cross-site" && site != "same-site" {
		http.Redirect(w, r, to.String(), http.StatusSeeOther)
		return
	}
	w.Header().Set("Refresh", "0; url="+to.String())
	page := `<!doctype html><title>podtrack</title><a href="` + html.EscapeString(to.String()) + `">podtrack</a>`
	s.send(w, http.StatusOK, answer{kind: "text/html; charset=utf-8", body: []byte(page)})
}
