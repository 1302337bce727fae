package web

import (
	"cmp"
	"net/http"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/api"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
)

// Options are the settings of a server.
type Options struct {
	api.Options
	Addr  string // HOST:PORT that the server listens on
	Token string // the token that a client must know, "" for none
}

// site is the page and its API, behind a guard.
type site struct {
	Options
	reply.Sender
	door  door     // which lets in clients that know the token
	hosts []string // host:port names of this machine, beside loopback's
	page  map[string]reply.Answer
}

// newSite returns the handler of everything under /.
func newSite(o Options) http.Handler {
	o.Timeout = cmp.Or(o.Timeout, api.DefaultTimeout)
	door := newDoor(o.Token)
	s := &site{Options: o, Sender: reply.Sender{Timeout: o.Timeout}, door: door, hosts: hostsOf(o.Addr),
		page: page(door.path)}
	mux := http.NewServeMux()
	mux.Handle("/api/", api.New(o.Options))
	mux.HandleFunc("/", s.asset)
	return s.guard(mux)
}
