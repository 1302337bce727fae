// Package newfile creates the bbolt files of new stores and of copies, and finishes them before they
// take another file's place.
package newfile
