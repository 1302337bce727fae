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

// NewToken makes up one that nobody guesses.
func NewToken() string { return rand.Text() }

// admit lets in who knows the token: by a cookie, by ?token=, which becomes the
// cookie, or by an Authorization header for programs. It answers all others.
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
	s.refuse(w, schema.Hint(coded(http.StatusUnauthorized, "this server asks for its token"), "open the whole address that podtrack serve printed"))
	return false
}

func (s *server) isToken(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) == 1
}

// cookie is the name of this server's: browsers share them between ports.
func (s *server) cookie() string {
	return fmt.Sprintf("podtrack-%x", sha256.Sum256([]byte("podtrack/cookie/"+s.Token)))[:25]
}

// remember gives the cookie, and leads to the same address without the token. Where
// another page led here, be it a file, a browser would not send the cookie along with a
// redirect: then a page of this server's own leads on.
func (s *server) remember(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
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
