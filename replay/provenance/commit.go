package provenance

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// gitTime limits the time of a call of git, which looks at every tracked file.
const gitTime = time.Second

// gitOptions keep git from starting other programs, which the configuration of a repository can name, and from
// writing.
var gitOptions = []string{
	"--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
}

// gitVariables keep git from using the network and from prompting.
var gitVariables = []string{"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0"}

var commitID = textfmt.Pattern(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// readCommit returns the commit that is checked out in dir, and whether tracked files differ from it, nil if that is
// unknown. The commit is empty if there is no repository of this user, or no git.
func readCommit(ctx context.Context, dir string) (commit string, changed *bool) {
	if dir == "" {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	out, err := runGit(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD")
	commit = strings.TrimSpace(string(out))
	if err != nil || !commitID().MatchString(commit) {
		return "", nil
	}
	// Comparing a file can start the filters that the repository's own configuration names.
	filters, known := askGit(ctx, dir, "config", "--local", "--includes", "--get-regexp", `^filter\.`)
	if filters || !known {
		return commit, nil
	}
	if same, known := askGit(ctx, dir, "diff-index", "--quiet", "HEAD", "--"); known {
		differs := !same
		changed = &differs
	}
	return commit, changed
}

// askGit returns the answer of a git command, yes for exit status 0 and no for 1, and whether it was either.
func askGit(ctx context.Context, dir string, args ...string) (yes, known bool) {
	_, err := runGit(ctx, dir, args...)
	exit := (*programs.ExitError)(nil)
	return err == nil, err == nil || errors.As(err, &exit) && exit.ExitCode() == 1
}

func runGit(ctx context.Context, dir string, args ...string) ([]byte, error) {
	c, err := programs.Commit.Command(ctx, "git", append(gitOptions, args...)...)
	if err != nil {
		return nil, err
	}
	c.Dir, c.Env = dir, append(os.Environ(), gitVariables...)
	c.WaitDelay = gitTime
	return c.Output()
}

// Read returns the code of this process: its command line, its directory and the commit there.
func Read(ctx context.Context) *tracker.Code {
	dir, _ := os.Getwd() // empty if it was removed
	commit, changed := readCommit(ctx, dir)
	return &tracker.Code{Args: os.Args, Directory: dir, Commit: commit, Changed: changed}
}
