package page

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

const prefix = "/user/ann/proxy/8080"

// proxied serves a site below a path of another server, as jupyter-server-proxy, VS Code and Open OnDemand do, and
// returns the address.
func proxied(t *testing.T, site string) string {
	t.Helper()
	to, err := url.Parse(site)
	e2e.Must(t, err)
	reverse := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(&url.URL{Scheme: to.Scheme, Host: to.Host})
		p.SetXForwarded()
	}}
	mux := http.NewServeMux()
	mux.Handle(prefix+"/", http.StripPrefix(prefix, reverse))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the page leaves its place for %s", r.URL)
		http.NotFound(w, r)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + prefix
}

// TestBelowPrefix uses the page below a path of a proxy, without a token and with one.
func TestBelowPrefix(t *testing.T) {
	t.Parallel()
	chromium(t)
	store := e2e.Small(t, "--name", "first")
	e2e.Perform(t, "run", "--store", store, "--bits", "6", "--steps", "100", "--iterations", "2", "--seed", "1", "--name",
		"second")
	for name, flags := range map[string][]string{"open": {"--edit", "--host", "127.0.0.1"},
		"with a token": {"--edit", "--host", "127.0.0.1", "--token", "a-token-of-this-test-alone"}} {
		t.Run(name, func(t *testing.T) {
			site := serveStore(t, store, flags...)
			printed, err := url.Parse(site)
			e2e.Must(t, err)
			b := openBrowser(t, proxied(t, site))
			b.look(widths[0], themes[0])
			b.open("/?" + printed.RawQuery)
			b.sees("first", "live")
			root := b.eval("location.pathname")
			if hasToken := len(flags) > 3; !strings.HasPrefix(root, prefix+"/") || hasToken == (root == prefix+"/") {
				t.Errorf("the page is at %s", root)
			}
			if strings.Contains(b.eval("location.href"), "a-token") {
				t.Errorf("the address has the token: %s", b.eval("location.href"))
			}
			b.press(`td a[href^="show?"]`)
			b.sees("Run ", "live")
			b.eval(`(document.querySelector("[name=note]").value = "a note from afar", "")`)
			b.press("form.edit button")
			b.until(`document.querySelector("[name=note]").value === "a note from afar" && ` +
				`document.querySelector("main").innerText.includes("a note from afar")`)
			b.press(`p.link a[href^="options?"]`)
			b.sees("podtrack options")
			b.do(chromedp.Reload())
			b.sees("podtrack options", "live")
			b.do(chromedp.SendKeys("input[type=search]", "seed=1\r"))
			b.until(`location.pathname.endsWith("/ls")`)
			b.sees("podtrack ls seed=1", "live")
			b.until(`[...document.querySelectorAll("a[href], form[action]")].every((e) => ` +
				`new URL(e.getAttribute("href") ?? e.getAttribute("action"), location).pathname.startsWith("` + root + `"))`)
			renamed := "renamed-" + strings.ReplaceAll(name, " ", "-")
			e2e.Perform(t, "label", "@1", "--store", store, "--name", renamed)
			b.sees(renamed) // events come through the proxy
		})
	}
}

// freeAddress returns an address of this machine on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	e2e.Must(t, err)
	defer l.Close()
	return l.Addr().String()
}

// answers waits until a server answers.
func answers(t *testing.T, addr string) {
	t.Helper()
	e2e.Eventually(t, "a server", func() bool {
		r, err := http.Get("http://" + addr + "/script.js")
		if err == nil {
			r.Body.Close()
		}
		return err == nil
	})
}
