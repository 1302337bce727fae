// Package importer is podtrack's own: it reads data recorded by other programs, transitions or a plain D,
// from an archive as numpy.savez writes it.
//
// The file is untrusted. The result is [Data]: the records that iteration 0 of a run uses instead of collecting steps,
// with their digest.
//
// # The path to read
//
//  1. [Open] lists an archive's arrays; [Archive.FindSource] says which of them are
//     the data.
//  2. header.go reads the header of an array, array.go its elements.
//  3. [Source.ReadTransitions] checks every step against the environment. [Source.ReadRows]
//     counts the distinct rows of D.
//
// # Rules
//
//   - The package has its own reader of npy, since files are untrusted: npyio 0.6.0 allocates 1 GiB for a file of 1 KiB
//     that claims as much, and returns no error for missing elements.
//   - A declared shape is checked against the real size before anything is allocated.
//   - Memory is bounded by the packed records, or by [MaxDistinct], whatever the
//     file says or unpacks to.
//   - Nothing is ever unpickled.
package importer
