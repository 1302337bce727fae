package cmdline

import (
	"context"
	"io"
	"os"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// ReadSmall reads a file, or stdin if path is "-", up to limit + 1 bytes; the extra
// byte lets the caller notice that there is more. The file can be a terminal, or a pipe
// to which nobody writes: ReadSmall stops waiting when the context ends.
func ReadSmall(ctx context.Context, path string, limit int64) ([]byte, error) {
	var data []byte
	read := make(chan error, 1)
	go func() {
		var err error
		data, err = readFile(path, limit)
		read <- err
	}()
	select {
	case err := <-read:
		return data, err
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
