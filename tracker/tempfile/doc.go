// Package tempfile is podtrack's own: it creates files that appear under their names only when they are
// complete, and removes the leftovers of processes that were killed before.
//
// A [Dir] is a folder in which one process creates one file; [Dir.MoveTo] gives the file its name. [Reclaim]
// removes the folders of processes that have certainly ended, and [Resume] takes over their content.
package tempfile
