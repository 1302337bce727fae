package cmdline

import (
	"context"
	"io"
	"os"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// ReadSmall reads a file, stdin where its path is -, of which more than limit bytes
// are not looked at. It can be a pipe to which nobody writes, or a terminal: that is
// waited for no longer than until the context ends.
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
		return nil, schema.Hint(replay.ErrInterrupted, "nothing was written; the same command begins again")
	}
}

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
