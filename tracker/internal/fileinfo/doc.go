// Package fileinfo tells what systems know differently about a file: its owner, and its
// number of names.
package fileinfo
