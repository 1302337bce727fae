package web

import (
	"net"
	"os"
	"strings"
)

// Local reports whether only this machine can reach HOST:PORT.
func Local(addr string) bool { return loopback(hostOf(addr)) }

// loopback reports whether a host is always this machine. The port is not checked: it
// may be that of a tunnel.
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
