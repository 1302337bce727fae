// Package importer is podtrack's own: it reads data recorded by other programs, transitions or a plain D,
// from an archive as numpy.savez writes it.
//
// [Open] reads the list of an archive's arrays, [Archive.FindSource] chooses the arrays that are the data, and
// [Source.ReadTransitions] or [Source.ReadRows] reads them. The result is [Data]: the records that iteration 0 of a run
// uses instead of collecting steps, with their digest. Each transition is checked against the environment; of a plain D
// the distinct rows are counted. Errors wrap [ErrFile], [ErrArray] or [ErrData].
//
// The file is untrusted:
//
//   - A declared shape is checked against the real size before anything is allocated.
//   - Memory is bounded by the packed records, or by [MaxDistinct], whatever the file claims or unpacks to.
//   - Nothing is unpickled.
//   - The package has its own reader of npy, because npyio 0.6.0 allocates 1 GiB for a file of 1 KiB that claims as
//     much, and returns no error for missing elements.
package importer
