package web

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

// TestGuard asks as pages of other origins, names that lead here and strange
// clients do.
func TestGuard(t *testing.T) {
	h := newSite(local(storeAt(filepath.Join(t.TempDir(), "none.db"))))
	for name, c := range map[string]struct {
		target string
		change []func(*http.Request)
		want   int
	}{
		"as printed":         {"/api/version", nil, 200},
		"localhost":          {"/api/version", []func(*http.Request){host("localhost:8080")}, 200},
		"the other loopback": {"/api/version", []func(*http.Request){host("[::1]:8080")}, 200},
		"a tunnel":           {"/api/version", []func(*http.Request){host("localhost:9000")}, 200},
		"its own origin": {"/api/version", []func(*http.Request){header("Origin", "http://127.0.0.1:8080"),
			header("Sec-Fetch-Site", "same-origin")}, 200},
		"typed in":           {"/api/version", []func(*http.Request){header("Sec-Fetch-Site", "none")}, 200},
		"rebound":            {"/api/version", []func(*http.Request){host("attacker.example:8080")}, 403},
		"rebound, a subname": {"/api/version", []func(*http.Request){host("127.0.0.1.attacker.example:8080")}, 403},
		"localhost's like":   {"/api/version", []func(*http.Request){host("localhost.attacker.example")}, 403},
		"another address":    {"/api/version", []func(*http.Request){host("192.0.2.1:8080")}, 403},
		"no host":            {"/api/version", []func(*http.Request){host("")}, 403},
		"a strange host":     {"/api/version", []func(*http.Request){host("[::1]:[::1]:80")}, 403},
		"a foreign origin":   {"/api/version", []func(*http.Request){header("Origin", "http://attacker.example")}, 403},
		"another port":       {"/api/version", []func(*http.Request){header("Origin", "http://127.0.0.1:3000")}, 403},
		"no origin":          {"/api/version", []func(*http.Request){header("Origin", "null")}, 403},
		"a foreign script": {"/assets/x.js", []func(*http.Request){header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "no-cors")}, 403},
		"a link to the page": {"/run/x", []func(*http.Request){header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "navigate")}, 200},
		"a link to the API": {"/api/version", []func(*http.Request){header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "navigate")}, 403},
		"POST": {"/api/version", []func(*http.Request){func(r *http.Request) { r.Method = http.MethodPost }},
			405},
		"DELETE": {"/api/runs/x", []func(*http.Request){func(r *http.Request) { r.Method = http.MethodDelete }},
			405},
		"OPTIONS": {"/api/version", []func(*http.Request){func(r *http.Request) { r.Method = http.MethodOptions }},
			405},
		"a body":         {"/api/version", []func(*http.Request){func(r *http.Request) { r.ContentLength = 3 }}, 400},
		"a long address": {"/api/runs?q=" + strings.Repeat("x", maxURL), nil, 414},
	} {
		t.Run(name, func(t *testing.T) {
			w := ask(h, c.target, c.change...)
			if w.Code != c.want {
				t.Errorf("status %d, want %d: %s", w.Code, c.want, w.Body)
			}
			if c.want >= 400 {
				wantFailure(t, w, c.want)
			}
			for name, value := range headers {
				if got := w.Header().Get(name); got != value {
					t.Errorf("%s: %q", name, got)
				}
			}
			if w.Code == 405 && w.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("Allow: %q", w.Header().Get("Allow"))
			}
		})
	}
}

// TestPublicHosts lets in addresses where other machines may ask, and the
// machine's own name, but no other.
func TestPublicHosts(t *testing.T) {
	o := local(storeAt(filepath.Join(t.TempDir(), "none.db")))
	o.Addr, o.Token = "[::]:8080", "sixteen-letters-"
	h, token := newSite(o), header("Authorization", "Bearer "+o.Token)
	for name, want := range map[string]int{
		"192.0.2.1:8080": 200, "[2001:db8::1]:8080": 200, "127.0.0.1:8080": 200, "attacker.example:8080": 403,
		"192.0.2.1.attacker.example": 403,
	} {
		if w := ask(h, "/api/version", host(name), token); w.Code != want {
			t.Errorf("%s: status %d, want %d", name, w.Code, want)
		}
	}
}

// minSecret is the length of 128 bits in base 32.
const minSecret = 26

// TestToken asks with and without it, and follows the way of the printed address.
func TestToken(t *testing.T) {
	o := local(storeAt(filepath.Join(t.TempDir(), "none.db")))
	o.Token = NewToken()
	h := newSite(o)
	for _, target := range []string{"/", "/api/version", "/api/events", "/?token=", "/?token=" + NewToken(),
		"/api/version?token=x"} {
		wantFailure(t, ask(h, target), 401)
	}
	wantFailure(t, ask(h, "/api/version", header("Authorization", "Bearer "+o.Token+"x")), 401)
	if w := ask(h, "/api/version", header("Authorization", "Bearer "+o.Token)); w.Code != 200 {
		t.Errorf("with the header: status %d", w.Code)
	}

	w := ask(h, "/run/a%20b?token="+o.Token+"&q=seed%3D1")
	cookies := w.Result().Cookies()
	to := w.Header().Get("Location")
	path, found := strings.CutSuffix(to, "/run/a%20b?q=seed%3D1")
	if w.Code != 303 || !found || len(path) < minSecret || len(cookies) != 1 {
		t.Fatalf("status %d to %q with %d cookies", w.Code, to, len(cookies))
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != path+"/" {
		t.Errorf("cookie %v", c)
	}
	if secret := cookies[0].Value; len(secret) < minSecret || strings.Contains(path+o.Token, secret) ||
		strings.Contains(path, o.Token) {
		t.Errorf("the cookie %q, the path %q and the token %q are not three secrets", secret, path, o.Token)
	}
	remembered := func(r *http.Request) { r.AddCookie(cookies[0]) }
	for target, want := range map[string]int{
		path + "/api/version": 200, path + "/": 200, path + "/run/a%20b": 200, path + "/api/none": 404,
		"/api/version": 401, "/": 401, path: 401, path + "x/api/version": 401, "/" + NewToken() + "/api/version": 401,
		path + path + "/api/version": 200, "/%41" + path[2:] + "/api/version": 401,
	} {
		if w := ask(h, target, remembered); w.Code != want {
			t.Errorf("%s with the cookie: status %d, want %d", target, w.Code, want)
		}
	}
	wantFailure(t, ask(h, path+"/api/version"), 401)
	page := ask(h, path+"/run/x", remembered).Body.String()
	for _, asset := range regexp.MustCompile(`"([^"]*assets/[^"]*)"`).FindAllStringSubmatch(page, -1) {
		if w := ask(h, asset[1], remembered); w.Code != 200 || !strings.HasPrefix(asset[1], path) {
			t.Errorf("%s: status %d", asset[1], w.Code)
		}
	}
	led := func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
	}
	w = ask(h, "/run/a%20b?token="+o.Token+"&q=seed%3D1", led)
	if to := w.Header().Get("Refresh"); w.Code != 200 || to != "0; url="+path+"/run/a%20b?q=seed%3D1" ||
		len(w.Result().Cookies()) != 1 || strings.Contains(w.Body.String(), o.Token) {
		t.Errorf("led here by another page: status %d, %q: %s", w.Code, to, w.Body)
	}
	if to := ask(h, "/../x/../../y?token="+o.Token).Header().Get("Location"); to != path+"/y" {
		t.Errorf("dots led to %q", to)
	}
	if to := ask(h, "//attacker.example/?token="+o.Token).Header().Get("Location"); strings.HasPrefix(to, "//") ||
		strings.Contains(to, ":") {
		t.Errorf("led away to %q", to)
	}
}

// TestAddressLimit: an address as long as the limit is answered, and a longer one is refused with the limit.
func TestAddressLimit(t *testing.T) {
	check := func(bytes int) error {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RequestURI = "/" + strings.Repeat("a", bytes-1)
		return checkSize(nil, r)
	}
	ok(t, check(8192))
	if err := check(8193); err == nil || !strings.Contains(err.Error(), "8193 bytes") ||
		!strings.Contains(schema.Remedy(err), "8192") {
		t.Errorf("one byte more: %v", err)
	}
}
