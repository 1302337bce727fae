// Package api serves the API under /api: the documents that commands print with --json, figures, and the data that the
// page draws. It never writes to the store.
//
// [New] returns the handler. An endpoint is a method of server, in a file of its own, and a line in server.go with
// its path, its parameters, its cost, and what its answer depends on. An answer is computed in full before its first
// byte is sent, except for the few that are sent in stages and the stream of events.
//
// Every request opens the store again, because the store may be changed, compacted, replaced or removed between
// requests. The work for a request is bounded before it begins. The ETag of an answer is a digest of what the answer
// depends on; browsers and the cache in memory use it to tell whether an answer is current.
package api
