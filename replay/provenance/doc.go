// Package provenance is podtrack's own: it identifies the code that works on a run: podtrack's command line, the commit
// of the working directory, and the files and packages of other programs. Results that differ although the specs agree
// can be traced to it. None of it enters a digest.
//
// [Read] describes this process, [DescribeCommand] the files that a command names, and [Compare] lists what differs
// between the code of two sessions.
package provenance
