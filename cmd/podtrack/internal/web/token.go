package web

import (
	"crypto/rand"
	"crypto/subtle"
	"html"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/schema"
)

// NewToken returns a random token that cannot be guessed.
func NewToken() string { return rand.Text() }

// A door lets in clients that know the token. A browser sends a cookie to every port of a host, so also to servers of
// other users of this machine, but only below the cookie's path. Therefore the path is a secret, and the cookie holds
// another one in place of the token.
type door struct {
	token string // "" lets in every client, at the root
	path  string // "/" and a secret
	key   string // the cookie's value
}

// cookieName is the name of a door's cookie. Those of other servers have other paths.
const cookieName = "podtrack"

// newDoor returns a door with secrets of its own.
func newDoor(token string) door {
	if token == "" {
		return door{}
	}
	return door{token: token, path: "/" + rand.Text(), key: rand.Text()}
}

// strip returns the request as it is without the door's path, and whether it has that path.
func (d door) strip(r *http.Request) (*http.Request, bool) {
	name, below := strings.CutPrefix(r.URL.Path, d.path+"/")
	raw, rawBelow := strings.CutPrefix(r.URL.EscapedPath(), d.path+"/")
	if d.token == "" || !below || !rawBelow {
		return r, false
	}
	stripped := r.WithContext(r.Context())
	address := *r.URL
	address.Path, address.RawPath = "/"+name, "/"+raw
	stripped.URL = &address
	return stripped, true
}

// admit reports whether a request may go on: it has the cookie below the door's path, or, as programs, the token in an
// Authorization header. A request with ?token= gets the cookie and a redirect instead. admit answers all requests that
// it does not let through.
func (s *site) admit(w http.ResponseWriter, r *http.Request, below bool) bool {
	if s.Token == "" {
		return true
	}
	if token := r.URL.Query().Get("token"); token != "" && isSecret(token, s.door.token) {
		s.remember(w, r)
		return false
	}
	if c, err := r.Cookie(cookieName); err == nil && below && isSecret(c.Value, s.door.key) {
		return true
	}
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if found && isSecret(token, s.door.token) {
		return true
	}
	s.Refuse(w, schema.Hint(reply.Errorf(http.StatusUnauthorized, "this server asks for its token"),
		"open the whole address that podtrack serve printed"))
	return false
}

// isSecret reports whether a text is a secret. Its running time does not depend on where they differ.
func isSecret(text, secret string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(secret)) == 1
}

// remember sets the cookie and redirects to the same address below the door's path, without the token. If the
// request came from another page, even a local file, the browser would not send the
// cookie with the redirected request; then remember sends a page that leads on by
// itself.
func (s *site) remember(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: s.door.key, Path: s.door.path + "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	q := r.URL.Query()
	q.Del("token")
	below := path.Clean("/" + strings.TrimLeft(r.URL.Path, "/\\")) // which no dots lead out of
	to := url.URL{Path: s.door.path + below, RawQuery: q.Encode()}
	w.Header().Set("Cache-Control", "no-store")
	if site := r.Header.Get("Sec-Fetch-Site"); site != "cross-site" && site != "same-site" {
		http.Redirect(w, r, to.String(), http.StatusSeeOther)
		return
	}
	w.Header().Set("Refresh", "0; url="+to.String())
	page := `<!doctype html><title>podtrack</title><a href="` + html.EscapeString(to.String()) + `">podtrack</a>`
	s.Send(w, http.StatusOK, reply.Answer{Kind: "text/html; charset=utf-8", Body: []byte(page)})
}
