// Package newfile creates the bbolt files of new stores and of copies, and prepares them to replace another
// file.
package newfile
