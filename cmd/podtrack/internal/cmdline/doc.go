// Package cmdline has what podtrack's commands share: flags and references,
// exit codes, output that escapes text from elsewhere, progress, and files that are
// written whole or not at all.
package cmdline
