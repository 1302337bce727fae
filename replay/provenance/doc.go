// Package provenance is podtrack's own: it identifies the code that works on a run beside this program: the command
// line, the commit of the working directory, and the files and packages of other programs. Results that differ
// although the specs agree can be traced to it. None of it enters a digest.
//
// The path to read: [Read] describes this process, commit.go asks git, [DescribeCommand] hashes the files that a
// command names, [DigestFiles] makes one digest of them, [Compare] lists what differs.
package provenance
