package web

import (
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// maxURL is the length of a request's address, in bytes.
const maxURL = 8 << 10

const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// headers are those of every answer.
var headers = map[string]string{
	"Content-Security-Policy":      contentPolicy,
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// guard lets in what a page of this server, or who knows its token, may ask.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		s.limitWriteTime(w)
		s.limitBody(w, r)
		for _, check := range []func(http.ResponseWriter, *http.Request) error{checkMethod, checkSize, s.checkHost, checkOrigin} {
			if err := check(w, r); err != nil {
				s.refuse(w, err)
				return
			}
		}
		if s.admit(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// limitBody has a request with a body be the last on its connection, and bounds the
// time in which net/http reads on for the end of the body.
func (s *server) limitBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.Patience)) // not all writers of tests can
	}
}

func checkMethod(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	w.Header().Set("Allow", "GET, HEAD")
	return schema.Hint(coded(http.StatusMethodNotAllowed, "method %s", shown(r.Method)), "this server only reads: use GET")
}

// checkSize refuses what is too long, what a proxy would be asked, and a body, which
// nothing here would read.
func checkSize(w http.ResponseWriter, r *http.Request) error {
	if len(r.RequestURI) > maxURL {
		return schema.Hint(coded(http.StatusRequestURITooLong, "an address of %d bytes", len(r.RequestURI)), "use at most %d; a tag names many runs at once", maxURL)
	}
	if !strings.HasPrefix(r.RequestURI, "/") {
		return schema.Hint(coded(http.StatusBadRequest, "%q is no address here", shown(r.RequestURI)), "an address begins with /")
	}
	if r.ContentLength != 0 {
		return schema.Hint(coded(http.StatusBadRequest, "a request with a body"), "send none: this server only reads")
	}
	return nil
}

// checkHost refuses names that lead here and are not this server's: a foreign page
// could point its own name to this address, and then read what is here.
func (s *server) checkHost(_ http.ResponseWriter, r *http.Request) error {
	if loopback(hostOf(r.Host)) || slices.Contains(s.hosts, strings.ToLower(r.Host)) || s.public(r.Host) {
		return nil
	}
	return schema.Hint(coded(http.StatusForbidden, "host %q is not this server", shown(r.Host)), "use the address that podtrack serve printed")
}

// Local says whether only this machine reaches HOST:PORT.
func Local(addr string) bool { return loopback(hostOf(addr)) }

// loopback says whether a host is what nobody else can be called. Its port may be
// that of a tunnel.
func loopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// public says whether the server is for others, and the host an address: a foreign
// page can have a name that leads here, not this machine's address.
func (s *server) public(host string) bool {
	return !Local(s.Addr) && net.ParseIP(hostOf(host)) != nil
}

// hostsOf are the listener's address and this machine's name.
func hostsOf(addr string) []string {
	hosts := []string{strings.ToLower(addr)}
	name, err := os.Hostname()
	_, port, _ := net.SplitHostPort(addr)
	if err == nil && !Local(addr) {
		hosts = append(hosts, net.JoinHostPort(strings.ToLower(name), port))
	}
	return hosts
}

// hostOf is the host of HOST:PORT or of a HOST alone.
func hostOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return strings.Trim(hostPort, "[]")
}

// checkOrigin refuses what other pages ask for. Where a page may only lead to, it
// is let through to the page here, not to the API.
func checkOrigin(_ http.ResponseWriter, r *http.Request) error {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	if origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || u.Host != r.Host {
			return foreign(origin)
		}
	}
	if (site == "cross-site" || site == "same-site") && (r.Header.Get("Sec-Fetch-Mode") != "navigate" || strings.HasPrefix(r.URL.Path, "/api/")) {
		return foreign(site)
	}
	return nil
}

func foreign(origin string) error {
	return schema.Hint(coded(http.StatusForbidden, "a request from another page: %s", shown(origin)), "open the address that podtrack serve printed, and ask from there")
}
