// Package fileinfo reads properties of a file that differ by system: its owner, and its number of names.
package fileinfo
