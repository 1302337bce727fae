package cmdline

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/urfave/cli/v2"
)

// Flag returns a flag that stores its value in *p, whose present value is the default.
func Flag[T bool | int | int64 | uint64 | float64 | string | []string](p *T, name, usage string) cli.Flag {
	switch p := any(p).(type) {
	case *bool:
		return &cli.BoolFlag{Name: name, Usage: usage, Value: *p, Destination: p}
	case *int:
		return &cli.IntFlag{Name: name, Usage: usage, Value: *p, Destination: p}
	case *int64:
		return &cli.Int64Flag{Name: name, Usage: usage, Value: *p, Destination: p}
	case *uint64:
		return &cli.Uint64Flag{Name: name, Usage: usage, Value: *p, Destination: p}
	case *float64:
		return &cli.Float64Flag{Name: name, Usage: usage, Value: *p, Destination: p}
	case *string:
		return &cli.StringFlag{Name: name, Usage: usage, Value: *p, Destination: p}
	case *[]string:
		return &cli.StringSliceFlag{Name: name, Usage: usage, Action: func(_ *cli.Context, given []string) error {
			*p = given
			return nil
		}}
	}
	panic(fmt.Sprintf("flag --%s has an unsupported type", name)) // the constraint allows no other
}

// Optional returns a flag that makes *p point to its value, or leaves it nil if it is not given. without says in its
// help what happens then.
func Optional[T bool | int | string | time.Duration](p **T, name, usage, without string) cli.Flag {
	switch p := any(p).(type) {
	case **bool:
		return &cli.BoolFlag{Name: name, Usage: usage, DefaultText: without, Action: keep(p)}
	case **int:
		return &cli.IntFlag{Name: name, Usage: usage, DefaultText: without, Action: keep(p)}
	case **string:
		return &cli.StringFlag{Name: name, Usage: usage, DefaultText: without, Action: keep(p)}
	case **time.Duration:
		return &cli.DurationFlag{Name: name, Usage: usage, DefaultText: without, Action: keep(p)}
	}
	panic(fmt.Sprintf("flag --%s has an unsupported type", name))
}

// keep returns a function that the library calls with the value of a flag that is given.
func keep[T any](p **T) func(*cli.Context, T) error {
	return func(_ *cli.Context, given T) error {
		*p = &given
		return nil
	}
}

// FirstSet returns the first of the flags that is given, "" if none is.
func FirstSet(c *cli.Context, flags ...string) string {
	for _, name := range flags {
		if c.IsSet(name) {
			return name
		}
	}
	return ""
}

// flagError is an error about the value of a flag.
type flagError struct {
	flag, value string
	err         error
}

// FlagError wraps err as an error about the value of a flag, which it names; it returns nil for nil.
func FlagError(flag, value string, err error) error {
	if err == nil {
		return nil
	}
	return &flagError{flag, value, err}
}

func (f *flagError) Error() string {
	text := f.err.Error()
	if errors.Is(f.err, schema.ErrSpec) {
		text = strings.TrimPrefix(text, schema.ErrSpec.Error()+": ") // the flag is named instead
	}
	return fmt.Sprintf("--%s %s: %s", f.flag, textfmt.ShellQuote(f.value), text)
}

func (f *flagError) Unwrap() error { return f.err }

// ParseHead returns the head that --expect gives. A part of it proves nothing.
func ParseHead(text string) (schema.Digest, error) {
	head, err := schema.ParseDigest(text)
	if err != nil {
		return head, schema.Hint(fmt.Errorf("--expect %q is not a whole head, which has 64 hexadecimal digits", text),
			"tables print only the first 12; podtrack show RUN prints all of them")
	}
	return head, nil
}
