// Package web serves a store to a browser on this machine: the page, and below /api the documents that the commands
// print with --json. It only reads.
//
// [Serve] answers on a listener until its context is done. It refuses what no page of this server asks for: other
// methods, hosts and origins, long addresses, and requests without the token. The page is embedded in the binary and
// served from memory, so no part of a request becomes a file's path. Connections are bounded: a silent one is closed
// for the next client, and one that reads slowly delays no other.
//
// Package api answers what is below /api. API.md specifies what a client can rely on.
package web
