// Package table prints tables as text for people, CSV, Markdown or LaTeX.
package table
