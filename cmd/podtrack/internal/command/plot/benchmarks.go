package plot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/schema"
)

const maxBenchmarkFile = 16 << 20 // bytes

// plotBenchmarks draws the output of go test -bench.
func plotBenchmarks(ctx context.Context, q request, _ picture) (figure.Figure, error) {
	if len(q.args) != 1 {
		return nil, schema.Hint(fmt.Errorf("plot benchmarks takes a file, not %s", cmdline.Plural(len(q.args), "argument")),
			"go test -run '^$' -bench . ./pod > bench.txt makes one")
	}
	path := q.args[0]
	text, err := cmdline.ReadText(ctx, path, maxBenchmarkFile)
	if err == nil && len(text) > maxBenchmarkFile {
		err = schema.Hint(fmt.Errorf("it has more than %d bytes", maxBenchmarkFile),
			"keep the lines that begin with Benchmark")
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = schema.Hint(err, "go test -run '^$' -bench . ./pod > %s makes one", textform.ShellQuote(path))
	}
	if err != nil {
		return nil, fmt.Errorf("read benchmarks %s: %w", path, err)
	}
	f, err := figure.ReadBenchmarks(bytes.NewReader(text))
	if errors.Is(err, figure.ErrEmpty) {
		err = schema.Hint(err, "go test -bench prints such lines for benchmarks with sizes")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
