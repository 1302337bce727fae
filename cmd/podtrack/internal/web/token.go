package web

import (
	"crypto/rand"
	"crypto/subtle"
	"html"
	"net/http"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
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
// Authorization header. A request with ?token= is led below that path, gets the cookie there, and is led to the address
// without the token. admit answers all requests that it does not let through.
func (s *site) admit(w http.ResponseWriter, r *http.Request, below bool) bool {
	if s.Token == "" {
		return true
	}
	if token := r.URL.Query().Get("token"); token != "" && isSecret(token, s.door.token) {
		s.remember(w, r, below)
		return false
	}
	if c, err := r.Cookie(cookieName); err == nil && below && isSecret(c.Value, s.door.key) {
		return true
	}
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if found && isSecret(token, s.door.token) {
		return true
	}
	s.Refuse(w, schema.Hint(Errorf(http.StatusUnauthorized, "this server asks for its token"),
		"open the whole address that podtrack serve printed"))
	return false
}

// isSecret reports whether a text is a secret. Its running time does not depend on where they differ.
func isSecret(text, secret string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(secret)) == 1
}

// enter is the page below the door's path that sets the cookie.
const enter = "enter"

// remember sets the cookie below the door's path, and leads there first. All addresses are relative, and the cookie has
// the path that the browser sees, since there may be a proxy that knows another one. If the request came from another
// page, even a local file, the browser would not send the cookie with a redirected request; then remember sends a page
// that leads on by itself.
func (s *site) remember(w http.ResponseWriter, r *http.Request, below bool) {
	q, page := r.URL.Query(), pageName(r.URL.Path)
	if below && page == enter {
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: s.door.key, HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
		page = pageName(q.Get("page"))
		q.Del("token")
		q.Del("page")
	} else {
		q.Set("page", page)
		if page = enter; !below {
			page = strings.TrimPrefix(s.door.path, "/") + "/" + enter
		}
	}
	to := "./" + page
	if len(q) > 0 {
		to += "?" + q.Encode()
	}
	s.lead(w, r, to)
}

// pageName returns the name of a page that a path has, "" for the first page and for a path that is none's.
func pageName(path string) string {
	if name := strings.TrimPrefix(path, "/"); !notPageName().MatchString(name) {
		return name
	}
	return ""
}

var notPageName = textfmt.Pattern(`[^a-z0-9-]`)

// lead sends a browser to a relative address.
func (s *site) lead(w http.ResponseWriter, r *http.Request, to string) {
	w.Header().Set("Cache-Control", "no-store")
	if site := r.Header.Get("Sec-Fetch-Site"); site != "cross-site" && site != "same-site" {
		w.Header().Set("Location", to) // http.Redirect would make it one of the server's root
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	w.Header().Set("Refresh", "0; url="+to)
	page := `<!doctype html><title>podtrack</title><a href="` + html.EscapeString(to) + `">podtrack</a>`
	s.Send(w, http.StatusOK, reply{Kind: htmlKind, Body: []byte(page)})
}
