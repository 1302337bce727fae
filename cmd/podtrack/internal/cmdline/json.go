package cmdline

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
)

// PrintJSON writes v as an indented JSON document.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// listShare is how many elements of a list one processor encodes before they are written.
const listShare = 1024

// PrintJSONList writes the same as [PrintJSON] for a long list, which it encodes on all
// processors. It keeps the text of few elements in memory.
func PrintJSONList[T any](w io.Writer, list []T) error {
	if len(list) == 0 {
		return PrintJSON(w, list)
	}
	texts := make([]bytes.Buffer, runtime.GOMAXPROCS(0))
	first := true
	for some := range slices.Chunk(list, listShare*len(texts)) {
		if err := printJSONPart(w, texts, some, first); err != nil {
			return err
		}
		first = false
	}
	_, err := io.WriteString(w, "\n]\n")
	return err
}

// printJSONPart writes at most listShare elements for each text.
func printJSONPart[T any](w io.Writer, texts []bytes.Buffer, list []T, first bool) error {
	errs := make([]error, len(texts))
	var group sync.WaitGroup
	i := 0
	for part := range slices.Chunk(list, listShare) {
		text, begins, err := &texts[i], first && i == 0, &errs[i]
		group.Go(func() { *err = appendJSON(text, part, begins) })
		i++
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i := range texts {
		if _, err := texts[i].WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

// appendJSON writes the elements of a part of a list, with the separator before each.
func appendJSON[T any](out *bytes.Buffer, list []T, first bool) error {
	for i := range list {
		before := ",\n  "
		if first && i == 0 {
			before = "[\n  "
		}
		text, err := json.MarshalIndent(&list[i], "  ", "  ")
		if err != nil {
			return err
		}
		out.WriteString(before)
		out.Write(text)
	}
	return nil
}
