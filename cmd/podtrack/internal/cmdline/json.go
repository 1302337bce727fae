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

// PrintJSONList writes the same as [PrintJSON] for a long list, which it encodes on all
// processors.
func PrintJSONList[T any](w io.Writer, list []T) error {
	if len(list) == 0 {
		return PrintJSON(w, list)
	}
	share := (len(list) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	parts := slices.Collect(slices.Chunk(list, share))
	texts, errs := make([]bytes.Buffer, len(parts)), make([]error, len(parts))
	var group sync.WaitGroup
	for i, part := range parts {
		group.Go(func() { errs[i] = appendJSON(&texts[i], part, i == 0) })
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
	_, err := io.WriteString(w, "\n]\n")
	return err
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
