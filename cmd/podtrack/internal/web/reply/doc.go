// Package reply has the answers of package web: complete documents, and errors as documents with a status and a remedy.
//
// An [Answer] is computed before any of it is sent. [Errorf] returns an error with a status of its own; for errors of
// other packages, one table has the statuses.
package reply
