// Package web serves a store to a browser on this machine: a page, and under /api
// the documents that the commands print with --json. It reads and never writes.
//
// # The path to read
//
//  1. [New] returns the handler. endpoints.go lists the endpoints, handler.go runs
//     them: one function per endpoint, which computes the whole answer before a byte
//     of it is sent.
//  2. guard.go refuses what no page of this server asks for: other methods, hosts and
//     origins, long addresses. token.go checks the token. semaphore.go bounds how much
//     work is under way.
//  3. runs.go, option.go and compare.go answer with the documents of packages report,
//     diff, group, why and table1; failure.go has the errors and their statuses, send.go
//     sends them as answers, with the command line's texts. listed.go finds the runs that
//     a request selects, lists.go keeps them in memory.
//  4. walk.go serves the position over time, envelope.go reduces it to what can be
//     drawn, and walk_cache.go keeps decoded walks in memory.
//  5. watch.go watches the store for all listening clients, events.go tells each of
//     them what has changed.
//  6. assets.go serves the page, which is embedded in the binary. [Serve] runs
//     everything on a listener. server.go has what all requests share.
//
// # Rules
//
//   - Each answer opens the store anew, in as many transactions as it has records
//     to read: the store may be changed, compacted, replaced or removed meanwhile.
//   - No part of a request becomes a path of a file.
//   - The work for a request is bounded before it begins, and a client that reads
//     slowly does not keep others waiting.
//
// API.md specifies what a client can rely on.
package web
