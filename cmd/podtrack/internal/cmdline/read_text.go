package cmdline

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// ReadText reads a file of text in UTF-8, or stdin if path is "-", up to limit + 1 bytes; the extra
// byte lets the caller notice that there is more. It leaves out a byte order mark, and refuses other
// encodings. The file can be a terminal, or a pipe without a writer: ReadText stops waiting when
// the context ends.
func ReadText(ctx context.Context, path string, limit int64) ([]byte, error) {
	var data []byte
	read := make(chan error, 1)
	go func() {
		var err error
		data, err = readFile(path, limit)
		read <- err
	}()
	select {
	case err := <-read:
		if err != nil {
			return nil, err
		}
		return decodeText(data, int64(len(data)) <= limit)
	case <-ctx.Done():
		return nil, schema.Hint(replay.ErrInterrupted, "nothing was written; rerun the command to start again")
	}
}

// readFile reads up to limit + 1 bytes of a file, or of stdin.
func readFile(path string, limit int64) ([]byte, error) {
	f := os.Stdin
	if path != "-" {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// decodeText returns text without its byte order mark, or an error if it is not UTF-8. The last
// character of text that is not whole may lack bytes.
func decodeText(text []byte, whole bool) ([]byte, error) {
	if encoding := otherEncoding(text); encoding != "" {
		return nil, schema.Hint(fmt.Errorf("it is text in %s, not in UTF-8", encoding),
			"iconv -f %s -t UTF-8 makes UTF-8 of it", encoding)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	known := text
	if !whole {
		known = text[:len(text)-len(unfinished(text))]
	}
	if utf8.Valid(known) {
		return text, nil
	}
	line := 1
	for l := range bytes.Lines(known) {
		if !utf8.Valid(l) {
			break
		}
		line++
	}
	return nil, schema.Hint(fmt.Errorf("line %d is not text in UTF-8", line), "save it as UTF-8")
}

// otherEncoding recognises UTF-16 and UTF-32 by a byte order mark, and UTF-16 by a leading ASCII character. It returns
// the encoding's name, else "".
func otherEncoding(text []byte) string {
	begins := func(mark string) bool { return bytes.HasPrefix(text, []byte(mark)) }
	switch {
	case begins("\xff\xfe\x00\x00"), begins("\x00\x00\xfe\xff"):
		return "UTF-32"
	case begins("\xff\xfe"), begins("\xfe\xff"):
		return "UTF-16"
	case len(text) < 2 || (text[0] == 0) == (text[1] == 0):
		return ""
	case text[0] == 0:
		return "UTF-16BE"
	}
	return "UTF-16LE"
}

// OpenRegular opens a regular file, which can be read at any offset, and returns its size.
func OpenRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	return f, info.Size(), err
}
