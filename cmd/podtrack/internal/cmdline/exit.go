package cmdline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/hints"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// Exit codes, the same for every command.
const (
	ExitDone        = 0
	ExitDifference  = 1
	ExitFailure     = 2
	ExitNoStore     = 10
	ExitLocked      = 11
	ExitNotStore    = 12
	ExitUnverified  = 125
	ExitInterrupted = 130
)

// ErrDifference means that things expected to be equal are not.
var ErrDifference = errors.New("not what was expected")

// ErrSilentDifference is a difference that has been printed already.
var ErrSilentDifference = fmt.Errorf("%w", ErrDifference)

// errUnread means that the reader of the output has closed it, as head does. It is not reported.
var errUnread = errors.New("the output was closed")

// exitCode returns the exit code for an error. It is the one place that maps errors to
// exit codes.
func exitCode(err error) int {
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, replay.ErrInterrupted), errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.Is(err, replay.ErrUnverifiable):
		return ExitUnverified
	case errors.Is(err, tracker.ErrNoStore):
		return ExitNoStore
	case errors.Is(err, tracker.ErrLocked), errors.Is(err, tracker.ErrLeaseLost):
		return ExitLocked
	case errors.Is(err, tracker.ErrNotStore), errors.Is(err, tracker.ErrFormat):
		return ExitNotStore
	case errors.Is(err, ErrDifference), errors.Is(err, tracker.ErrDamaged), errors.Is(err, envs.ErrEnvNotRepeatable):
		return ExitDifference
	}
	return ExitFailure
}

// Outcome returns the error with which a command ends: err, or the failure to write its
// output if that is worse. A command that could not print everything has not reported
// its result.
func Outcome(err, unwritten error) error {
	if unwritten == nil || exitCode(err) > ExitDifference && !errors.Is(err, unwritten) {
		return err
	}
	if errors.Is(unwritten, syscall.EPIPE) {
		return errUnread
	}
	return schema.Hint(fmt.Errorf("the output could not be written: %w", unwritten),
		"write it where there is room, and rerun the command; what was recorded is still there")
}

// Fail prints what failed and how to mend it, each on one line, and returns the exit
// code.
func Fail(stderr io.Writer, err error) int {
	if errors.Is(err, context.Canceled) && !errors.Is(err, replay.ErrInterrupted) {
		err = schema.Hint(replay.ErrInterrupted, "rerun the command to start again; what was recorded before is still there")
	}
	if err != nil && err != ErrSilentDifference && err != errUnread {
		fmt.Fprintf(stderr, "podtrack: %s\n", textfmt.EscapeLine(shorten(
			textfmt.ShortenEchoes(strings.TrimSpace(onOneLine(err)), textfmt.MostEchoed), mostMessage)))
		if hint := remedy(err); hint != "" {
			// A command in it is to be copied, with its paths.
			fmt.Fprintf(stderr, "  %s\n", textfmt.EscapeLine(shorten(textfmt.ShortenEchoes(hint, mostInCommand), mostRemedy)))
		}
		var detailed interface{ Detail() string }
		if errors.As(err, &detailed) { // such as the stack of a panic in a user's function
			fmt.Fprintf(stderr, "\n%s", textfmt.EscapeText([]byte(detailed.Detail())))
		}
	}
	return exitCode(err)
}

// onOneLine returns the text of err with joined errors behind one another, which
// [errors.Join] puts on lines of their own.
func onOneLine(err error) string {
	text := err.Error()
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			text = strings.Replace(text, inner.Error(), onOneLine(inner), 1)
		}
	case interface{ Unwrap() []error }:
		var parts, texts []string
		for _, inner := range e.Unwrap() {
			texts = append(texts, inner.Error())
			if part := onOneLine(inner); !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
		if text == strings.Join(texts, "\n") {
			return strings.Join(parts, "; ")
		}
		for i, inner := range e.Unwrap() {
			text = strings.Replace(text, texts[i], onOneLine(inner), 1)
		}
	}
	return text
}

const (
	mostMessage   = 1 << 10 // bytes
	mostRemedy    = 2 << 10
	mostInCommand = 1 << 9 // characters of a word in a remedy
)

// shorten cuts the middle out of a text that is very long.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	begin, end := text[:most/2], text[len(text)-most/2:]
	return fmt.Sprintf("%s … %d bytes … %s", begin, len(text)-most, end)
}

// lackingInodes returns the folder in which an error says that there is no room, if there is room for bytes, but not
// for another file.
func lackingInodes(err error) (dir string, lacks bool) {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case !errors.Is(err, syscall.ENOSPC):
		return "", false
	case errors.As(err, &file):
		dir = filepath.Dir(file.Path)
	case errors.As(err, &link):
		dir = filepath.Dir(link.New)
	}
	return dir, dir != "" && tempfile.LacksInodes(dir)
}

// remedy returns how to mend a failure. System errors without a remedy of their own,
// which any read or write can return, get a general one.
func remedy(err error) string {
	if dir, lacks := lackingInodes(err); lacks {
		return "remove files from the disk of " + textfmt.ShellPath(dir) + ": it has room for bytes, but none for " +
			"another file (df -i shows inodes); what was recorded before is still there"
	}
	var system syscall.Errno
	switch hint := hints.Of(err); {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "let it open more files, as ulimit -n 1024 does, and rerun the command; what was recorded before " +
			"is still there"
	case strings.Contains(err.Error(), syscall.EFBIG.Error()): // bbolt passes on only the text
		return "the limit on the size of files is too low: lift it, as ulimit -f unlimited does, and rerun the command; " +
			"what was recorded before is still there"
	case hint != "" || !errors.As(err, &system):
		return hint
	case system == syscall.ENOSPC, system == syscall.EDQUOT:
		return "make room there and rerun the command; what was recorded before is still there"
	}
	return "check that disk and its permissions, and rerun the command; what was recorded before is still there"
}
