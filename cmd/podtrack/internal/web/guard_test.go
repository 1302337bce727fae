package web

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestGuard asks as pages of other origins, names that lead here and strange clients do.
func TestGuard(t *testing.T) {
	none := local(storeAt(filepath.Join(t.TempDir(), "none.db")))
	edits, behind := none, none
	edits.Edit, behind.Hosts = true, []string{"hub.example"}
	h, editor, named := newSite(none), newSite(edits), newSite(behind)
	method := func(name string) func(*http.Request) { return func(r *http.Request) { r.Method = name } }
	type changes = []func(*http.Request)
	for name, c := range map[string]struct {
		h      http.Handler
		target string
		change changes
		want   int
	}{
		"as printed":         {h, "/script.js", nil, 200},
		"localhost":          {h, "/script.js", changes{host("localhost:8080")}, 200},
		"the other loopback": {h, "/script.js", changes{host("[::1]:8080")}, 200},
		"a tunnel":           {h, "/script.js", changes{host("localhost:9000")}, 200},
		"its own origin": {h, "/script.js", changes{header("Origin", "http://127.0.0.1:8080"),
			header("Sec-Fetch-Site", "same-origin")}, 200},
		"typed in":           {h, "/script.js", changes{header("Sec-Fetch-Site", "none")}, 200},
		"rebound":            {h, "/script.js", changes{host("attacker.example:8080")}, 403},
		"rebound, a subname": {h, "/script.js", changes{host("127.0.0.1.attacker.example:8080")}, 403},
		"localhost's like":   {h, "/script.js", changes{host("localhost.attacker.example")}, 403},
		"another address":    {h, "/script.js", changes{host("192.0.2.1:8080")}, 403},
		"no host":            {h, "/script.js", changes{host("")}, 403},
		"a strange host":     {h, "/script.js", changes{host("[::1]:[::1]:80")}, 403},
		"a named host":       {named, "/script.js", changes{host("Hub.Example:443")}, 200},
		"its origin": {named, "/script.js", changes{header("Origin", "https://hub.example"),
			header("Sec-Fetch-Site", "same-origin")}, 200},
		"a named host's like": {named, "/script.js", changes{host("hub.example.attacker.example")}, 403},
		"a foreign origin":    {h, "/script.js", changes{header("Origin", "http://attacker.example")}, 403},
		"another port":        {h, "/script.js", changes{header("Origin", "http://127.0.0.1:3000")}, 403},
		"no origin":           {h, "/script.js", changes{header("Origin", "null")}, 403},
		"a foreign script": {h, "/script.js", changes{header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "no-cors")}, 403},
		"a script of a subdomain": {h, "/script.js", changes{header("Sec-Fetch-Site", "same-site"),
			header("Sec-Fetch-Mode", "cors")}, 403},
		"a link to the page": {h, "/icon.svg", changes{header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "navigate")}, 200},
		"a foreign form": {editor, "/label", changes{method("POST"), header("Sec-Fetch-Site", "cross-site"),
			header("Sec-Fetch-Mode", "navigate")}, 403},
		"HEAD":            {h, "/script.js", changes{method("HEAD")}, 200},
		"POST":            {h, "/label", changes{method("POST")}, 405},
		"POST to a page":  {editor, "/show", changes{method("POST")}, 405},
		"DELETE":          {h, "/show", changes{method("DELETE")}, 405},
		"DELETE, editing": {editor, "/show", changes{method("DELETE")}, 405},
		"OPTIONS":         {h, "/", changes{method("OPTIONS")}, 405},
		"TRACE":           {h, "/", changes{method("TRACE")}, 405},
		"a body":          {h, "/script.js", changes{func(r *http.Request) { r.ContentLength = 3 }}, 400},
		"an endless body": {h, "/script.js", changes{func(r *http.Request) { r.ContentLength = -1 }}, 400},
		"a long address":  {h, "/ls?q=" + strings.Repeat("x", maxURL), nil, 414},
		"a proxy's":       {h, "http://attacker.example/", nil, 400},
	} {
		t.Run(name, func(t *testing.T) {
			w := ask(c.h, c.target, c.change...)
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
	refused := wantFailure(t, ask(h, "/", host("hub.example:8000")), 403)
	if !strings.Contains(refused.Remedy, "podtrack serve --host hub.example") {
		t.Errorf("of a name that may lead here it says: %s", refused.Remedy)
	}
}

// TestPublicHosts lets in addresses where other machines may ask, and the machine's own name, but no other.
func TestPublicHosts(t *testing.T) {
	o := local(storeAt(filepath.Join(t.TempDir(), "none.db")))
	o.Addr, o.Token = "[::]:8080", "sixteen-letters-"
	h, token := newSite(o), header("Authorization", "Bearer "+o.Token)
	for name, want := range map[string]int{
		"192.0.2.1:8080": 200, "[2001:db8::1]:8080": 200, "127.0.0.1:8080": 200, "attacker.example:8080": 403,
		"192.0.2.1.attacker.example": 403,
	} {
		if w := ask(h, "/script.js", host(name), token); w.Code != want {
			t.Errorf("%s: status %d, want %d", name, w.Code, want)
		}
	}
}

// minSecret is the length of 128 bits in base 32.
const minSecret = 26

// TestToken asks with and without it, and follows the way of the printed address.
func TestToken(t *testing.T) {
	o := local(filled(t))
	o.Token = NewToken()
	h := newSite(o)
	for _, target := range []string{"/", "/script.js", "/events", "/show?of=@1", "/?token=", "/?token=" + NewToken(),
		"/enter", "/enter?page=ls", "/show?token=x"} {
		wantFailure(t, ask(h, target), 401)
	}
	wantFailure(t, ask(h, "/status", header("Authorization", "Bearer "+o.Token+"x")), 401)
	if w := ask(h, "/status", header("Authorization", "Bearer "+o.Token)); w.Code != 200 {
		t.Errorf("with the header: status %d", w.Code)
	}

	first := ask(h, "/show?token="+o.Token+"&of=@1")
	to, err := url.Parse(first.Header().Get("Location"))
	ok(t, err)
	secret, found := strings.CutSuffix(strings.TrimPrefix(to.Path, "."), "/"+enter)
	if first.Code != 303 || !found || len(secret) < minSecret || len(first.Result().Cookies()) > 0 {
		t.Fatalf("status %d to %q with cookies %v", first.Code, to, first.Result().Cookies())
	}
	wantFailure(t, ask(h, secret+"/"+enter+"?page=show"), 401)
	second := ask(h, secret+"/"+enter+"?"+to.RawQuery)
	cookies := second.Result().Cookies()
	if leads := second.Header().Get("Location"); second.Code != 303 || leads != "./show?of=%401" || len(cookies) != 1 {
		t.Fatalf("status %d to %q with cookies %v", second.Code, leads, cookies)
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "" || c.Domain != "" {
		t.Errorf("cookie %v: without a path it has that of the page", c)
	}
	if key := cookies[0].Value; len(key) < minSecret || strings.Contains(secret+o.Token, key) ||
		strings.Contains(secret, o.Token) {
		t.Errorf("the cookie %q, the path %q and the token %q are not three secrets", key, secret, o.Token)
	}
	for _, w := range []*httptest.ResponseRecorder{first, second} {
		if w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("an address with a secret may be kept: %v", w.Header())
		}
	}
	remembered := func(r *http.Request) { r.AddCookie(cookies[0]) }
	for target, want := range map[string]int{
		secret + "/script.js": 200, secret + "/": 200, secret + "/show?of=@1": 200, secret + "/none": 404,
		secret + "/enter": 404, "/script.js": 401, "/": 401, secret: 401, secret + "x/script.js": 401,
		"/" + NewToken() + "/script.js": 401, "/%41" + secret[2:] + "/script.js": 401,
	} {
		if w := ask(h, target, remembered); w.Code != want {
			t.Errorf("%s with the cookie: status %d, want %d", target, w.Code, want)
		}
	}
	wantFailure(t, ask(h, secret+"/script.js"), 401)
	led := ask(h, "/show?token="+o.Token+"&of=@1", header("Sec-Fetch-Site", "cross-site"),
		header("Sec-Fetch-Mode", "navigate"))
	if leads := led.Header().Get("Refresh"); led.Code != 200 || led.Header().Get("Location") != "" ||
		leads != "0; url="+first.Header().Get("Location") || led.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("led here by another page: status %d, %q: %s", led.Code, leads, led.Body)
	}
}

// TestTokenLeadsNowhereElse: whatever an address with the token names, the way from it stays on this server.
func TestTokenLeadsNowhereElse(t *testing.T) {
	o := local(filled(t))
	o.Token = NewToken()
	h, base := newSite(o), &url.URL{Scheme: "http", Host: "127.0.0.1:8080", Path: "/"}
	door := strings.TrimSuffix(strings.TrimPrefix(ask(h, "/?token="+o.Token).Header().Get("Location"), "./"),
		"/"+enter+"?page=&token="+o.Token)
	for _, page := range []string{"//attacker.example", "/\\attacker.example", "http://attacker.example", "../../x", "..",
		"javascript:alert(1)", "%2f%2fattacker.example", "\t//attacker.example", "\x00", "enter", "a b"} {
		for _, target := range []string{"/" + url.PathEscape(page) + "?token=" + o.Token, page + "?token=" + o.Token,
			"/" + door + "/" + enter + "?token=" + o.Token + "&page=" + url.QueryEscape(page)} {
			to := ask(h, target).Header().Get("Location")
			if to == "" {
				continue // no way at all
			}
			from, err := base.Parse(target)
			if err != nil {
				from = base
			}
			if at, err := from.Parse(to); err != nil || at.Host != from.Host || at.Scheme != "http" ||
				!strings.HasPrefix(at.Path, "/"+door+"/") && !strings.Contains(from.Path[1:], "/") {
				t.Errorf("%q leads to %q: %v", target, to, at)
			}
		}
	}
}

// TestTokenBehindPrefix follows the printed address through a proxy that serves the site below a path: the cookie is
// for the path that the browser sees, and no other page of the proxy gets it.
func TestTokenBehindPrefix(t *testing.T) {
	const prefix = "/user/ann/proxy/8080"
	o := local(filled(t))
	o.Token = NewToken()
	server := httptest.NewServer(newSite(o))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	ok(t, err)
	others := ""
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, prefix+"/") {
			others += r.Header.Get("Cookie")
			return
		}
		to := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(at) }}
		http.StripPrefix(prefix, to).ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	jar, err := cookiejar.New(nil)
	ok(t, err)
	client := &http.Client{Jar: jar}
	for target, end := range map[string]string{"/?": "/", "/show?of=@1&": "/show?of=%401"} {
		r, err := client.Get(proxy.URL + prefix + target + "token=" + o.Token)
		ok(t, err)
		r.Body.Close()
		place := strings.TrimPrefix(r.Request.URL.String(), proxy.URL+prefix)
		if r.StatusCode != 200 || !strings.HasSuffix(place, end) || len(place) < minSecret+len(end) ||
			strings.Contains(place, o.Token) {
			t.Errorf("%s ends at %s: status %d", target, r.Request.URL, r.StatusCode)
		}
		again, err := client.Get(r.Request.URL.String())
		ok(t, err)
		again.Body.Close()
		if again.StatusCode != 200 {
			t.Errorf("opened again: status %d", again.StatusCode)
		}
	}
	for _, other := range []string{"/", "/user/ann/", "/user/ann/proxy/9090/"} {
		r, err := client.Get(proxy.URL + other)
		ok(t, err)
		r.Body.Close()
	}
	if others != "" {
		t.Errorf("other pages of the proxy were sent %q", others)
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
