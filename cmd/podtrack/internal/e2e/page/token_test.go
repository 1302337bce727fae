package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// TestTokenAndOtherPorts opens a page with a token in a browser, follows its links, and then goes to servers of others
// on the same machine: what the browser sends them opens nothing, though it sends them each other's cookies.
func TestTokenAndOtherPorts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := filepath.Join(dir, "p.db")
	e2e.Perform(t, "run", "--store", store, "--bits", "4", "--steps", "60", "--iterations", "2", "--name", "seen")
	const token = "a-token-of-this-test-alone"
	b := newBrowser(t, store, "--token", token)
	printed, err := url.Parse(b.base)
	e2e.Must(t, err)
	home := "http://" + printed.Host
	b.base = home
	b.do(chromedp.Navigate(printed.String()))
	b.sees("seen")
	path := b.eval(`location.pathname`)
	if len(path) < 20 || strings.Contains(b.eval(`location.href`), token) {
		t.Fatalf("the page is at %s", b.eval(`location.href`))
	}
	b.press(`td a[href^="show?"]`)
	b.sees("Run seen")
	if place := b.eval(`location.pathname`); place != path+"show" {
		t.Errorf("the run is at %s", place)
	}
	b.do(chromedp.Reload())
	b.sees("Run seen", "live")
	b.until(`[...document.querySelectorAll("a[href]")].every((a) => a.pathname.startsWith("` + path + `"))`)
	secret := ""
	for _, cookie := range sendCommand(b, storage.GetCookies, storage.GetCookiesParams{}).Cookies {
		if cookie.Path+"/" == path {
			secret = cookie.Value
		}
	}
	if secret == "" || secret == token {
		t.Fatalf("the cookie of %s is %q", path, secret)
	}

	var mu sync.Mutex
	var logged []string
	other := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, fmt.Sprintln(r.URL, r.Header))
		http.SetCookie(w, &http.Cookie{Name: "control", Value: "crosses-ports", Path: "/"})
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<title>other</title>a page of others")
	})
	for range 2 {
		server := httptest.NewServer(other)
		t.Cleanup(server.Close)
		b.mu.Lock()
		b.forgiven = append(b.forgiven, "it asked for "+server.URL)
		b.mu.Unlock()
		for _, place := range []string{"/", "/script.js", "/show?of=seen"} {
			b.do(chromedp.Navigate(server.URL + place))
		}
	}
	mu.Lock()
	defer mu.Unlock()
	all := strings.Join(logged, "")
	for _, kept := range []string{token, secret, strings.Trim(path, "/")} {
		if strings.Contains(all, kept) {
			t.Errorf("another server was sent %s:\n%s", kept, all)
		}
	}
	if !strings.Contains(logged[3], "crosses-ports") {
		t.Errorf("the browser keeps cookies of ports apart, so that this test shows nothing:\n%s", all)
	}
}
