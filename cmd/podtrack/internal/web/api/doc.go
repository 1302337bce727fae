// Package api answers requests below /api: with the documents that the commands print with --json, with figures, and
// with what the page draws. It only reads.
//
// [New] returns the handler. An endpoint is one method of server in a file of its own, and a line in endpoints.go: its
// path, its parameters, what it costs, and what its answer depends on. The whole answer is computed before a byte of
// it is sent, but for the few that come in stages and for the stream of events.
//
// Each answer opens the store anew, in as many transactions as it has records to read, since the store may be changed,
// compacted, replaced or removed meanwhile. The work for a request is bounded before it begins. What an answer depends
// on is its ETag, by which the browser and a cache in memory know an answer that is still right.
package api
