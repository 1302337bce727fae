// Package watch looks for changes of a store on behalf of all clients that listen, as long as there are any.
//
// A [Watcher] follows the store with a [tracker.Follower], which reads it only if its file has changed or a run may
// have died. Each listener gets the newest [Snapshot]; one that is slow skips those between.
package watch
