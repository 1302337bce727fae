// Package web serves a store to a browser on this machine: a page, and under /api
// the documents that the commands print with --json. It reads and never writes.
//
// # The path to read
//
//  1. [New] is the handler. endpoints.go lists what can be asked for, handler.go runs
//     it: one function an answer, which computes all of it before a byte is sent.
//  2. guard.go refuses what no page of ours asks: other methods, hosts and origins,
//     long addresses, a missing token. semaphore.go bounds how much is under way.
//  3. runs.go, option.go and compare.go answer with what packages report, diff, group,
//     why and table1 make; failure.go says failures as the command line does.
//  4. walk.go is the position over time, envelope.go what is shown of it; walk_cache.go
//     keeps decoded walks in memory.
//  5. watch.go looks at the store for all that listen, events.go tells one of them.
//  6. assets.go is the page, which is in the binary. [Serve] is all of it on a
//     listener.
//
// # Rules
//
//   - Each answer opens the store anew, in as many transactions as it has records
//     to read: it may be written to, compacted, replaced or removed meanwhile.
//   - No part of a request becomes a path of a file.
//   - What a client asks for is bounded before it is computed, and what it is slow
//     to read does not keep others waiting.
//
// API.md says what a client can rely on.
package web
