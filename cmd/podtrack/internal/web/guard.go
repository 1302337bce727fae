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
	"github.com/podtrack/podtrack/schema/textfmt"
)

// maxURL is the largest length of a request's address, in bytes.
const maxURL = 8 << 10

// contentPolicy lets a page load only what this server serves, and images in data URLs.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// headers are the headers of every answer.
var headers = map[string]string{
	"Content-Security-Policy":      contentPolicy,
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "same-origin", // without one, a form's Origin is null
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// guard passes on only requests that a page of this server, or a client that knows its
// token, may make.
func (s *site) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		s.LimitWriteTime(w)
		s.limitBody(w, r)
		r, below := s.door.strip(r)
		for _, check := range []func(http.ResponseWriter, *http.Request) error{
			s.checkMethod, checkSize, s.checkHost, s.checkOrigin,
		} {
			if err := check(w, r); err != nil {
				s.Refuse(w, err)
				return
			}
		}
		if s.admit(w, r, below) {
			next.ServeHTTP(w, r)
		}
	})
}

// limitBody makes a request with a body the last one on its connection, and bounds how
// long net/http reads on for the end of that body.
func (s *site) limitBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
		// Some writers in tests do not support deadlines.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.Options.Timeout))
	}
}

// checkMethod returns an error for methods other than GET and HEAD, and a POST that may edit something.
func (s *site) checkMethod(w http.ResponseWriter, r *http.Request) error {
	edits := r.Method == http.MethodPost && s.Edit && r.URL.Path == "/label"
	if r.Method == http.MethodGet || r.Method == http.MethodHead || edits {
		return nil
	}
	w.Header().Set("Allow", "GET, HEAD")
	return schema.Hint(Errorf(http.StatusMethodNotAllowed, "method %s", r.Method),
		"use GET; POST is for forms, where podtrack serve --edit has some")
}

// checkSize returns an error for addresses that are too long, for requests meant for a
// proxy, and for requests with a body that no handler reads.
func checkSize(w http.ResponseWriter, r *http.Request) error {
	if len(r.RequestURI) > maxURL {
		return schema.Hint(Errorf(http.StatusRequestURITooLong, "an address of %d bytes", len(r.RequestURI)),
			"use at most %d; a tag names many runs at once", maxURL)
	}
	if !strings.HasPrefix(r.RequestURI, "/") {
		return schema.Hint(Errorf(http.StatusBadRequest, "%q is no address here", r.RequestURI),
			"an address begins with /")
	}
	if r.ContentLength != 0 && r.Method != http.MethodPost {
		return schema.Hint(Errorf(http.StatusBadRequest, "a request with a body"), "send none: this server only reads")
	}
	return nil
}

// checkHost returns an error for host names that are not this server's. Otherwise a
// foreign page could point its own name to this address (DNS rebinding) and read the
// answers.
func (s *site) checkHost(_ http.ResponseWriter, r *http.Request) error {
	if loopback(hostOf(r.Host)) || slices.Contains(s.hosts, strings.ToLower(r.Host)) || s.public(r.Host) ||
		s.isNamed(r.Host) {
		return nil
	}
	return schema.Hint(Errorf(http.StatusForbidden, "host %q is not this server", r.Host),
		"use the address that podtrack serve printed; if that name leads here, podtrack serve --host %s says so",
		textfmt.ShellQuote(hostOf(r.Host)))
}

// isNamed reports whether the user has said that a host's name leads here, as that of a proxy does.
func (s *site) isNamed(host string) bool {
	return slices.ContainsFunc(s.Hosts, func(name string) bool { return strings.EqualFold(name, hostOf(host)) })
}

// public reports whether the server listens for other machines and host is an IP
// address. A foreign page can own a name that leads here, but not this machine's
// address.
func (s *site) public(host string) bool {
	return !Local(s.Addr) && net.ParseIP(hostOf(host)) != nil
}

// checkOrigin returns an error for requests from other pages. A link from another page may lead to a page here.
func (s *site) checkOrigin(_ http.ResponseWriter, r *http.Request) error {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	if origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || u.Host != r.Host && !s.isNamed(u.Host) {
			return foreign(origin)
		}
	}
	if (site == "cross-site" || site == "same-site") &&
		(r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Method == http.MethodPost) {
		return foreign(site)
	}
	return nil
}

// foreign returns the error for a request from another page.
func foreign(origin string) error {
	return schema.Hint(Errorf(http.StatusForbidden, "a request from another page: %s", origin),
		"open the address that podtrack serve printed, and ask from there")
}

// Local reports whether only this machine can reach HOST:PORT.
func Local(addr string) bool { return loopback(hostOf(addr)) }

// loopback reports whether a host is always this machine. The port is not checked: it
// may be the port of a tunnel.
func loopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// hostsOf returns the hosts by which this server can be addressed: the listener's
// address, and this machine's name if the server is not local.
func hostsOf(addr string) []string {
	hosts := []string{strings.ToLower(addr)}
	name, err := os.Hostname()
	_, port, _ := net.SplitHostPort(addr)
	if err == nil && !Local(addr) {
		hosts = append(hosts, net.JoinHostPort(strings.ToLower(name), port))
	}
	return hosts
}

// hostOf returns the host of HOST:PORT, or of a HOST alone.
func hostOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return strings.Trim(hostPort, "[]")
}
