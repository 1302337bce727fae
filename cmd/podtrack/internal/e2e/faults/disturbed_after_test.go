package faults

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// checkAfter looks at what a disturbed command said and left.
func (b *bench) checkAfter(t *testing.T, p *e2e.Program, dir, call string) error {
	code := p.ProcessState.ExitCode()
	if code == 0 {
		b.counted["done all the same"]++
		return b.done(t, dir, call)
	}
	b.counted["failed"]++
	if code != cmdline.ExitFailure {
		return fmt.Errorf("want exit code %d", cmdline.ExitFailure)
	}
	if why := e2e.CheckMessage(p.Said.String()); why != "" {
		return errors.New(why)
	}
	if err := b.left(t, dir, call); err != nil {
		return err
	}
	return b.checkRetry(t, dir, call)
}

// done compares the folder with what an undisturbed command leaves.
func (b *bench) done(t *testing.T, dir, call string) error {
	now, err := look(t.Context(), filepath.Join(dir, "store.db"))
	if err != nil {
		return err
	}
	if !now.Equal(b.after) {
		return fmt.Errorf("the store has %v, is to have %v", now, b.after)
	}
	if strange := b.strange(t, dir, call); len(strange) > 0 {
		return fmt.Errorf("there are the files %v", strange)
	}
	return nil
}

// strange returns the files that the undisturbed command would not have left. What
// cannot be removed, or looked at to remove it, stays until a later compaction.
func (b *bench) strange(t *testing.T, dir, call string) []string {
	return slices.DeleteFunc(filesIn(t, dir), func(name string) bool {
		return slices.Contains(b.files, name) || (call == "unlinkat" || call == "openat") &&
			strings.HasPrefix(name, ".podtrack-")
	})
}

// left compares the folder after a failure with the folder before it.
func (b *bench) left(t *testing.T, dir, call string) error {
	store := filepath.Join(dir, "store.db")
	if strange := b.strange(t, dir, call); len(strange) > 0 {
		return fmt.Errorf("left behind: %v", strange)
	}
	if b.spoiled && sameFiles(t, store, filepath.Join(b.template, "store.db")) {
		return nil
	}
	now, err := look(t.Context(), store)
	if err != nil {
		return err
	}
	if err := now.Between(b.before, b.after); err != nil || len(b.before) == 0 {
		return err
	}
	args := []string{"replay", "--store", store}
	for id := range now {
		if _, was := b.before[id]; was {
			args = append(args, id.String())
		}
	}
	if len(args) == 3 {
		return nil
	}
	if code, _, stderr := e2e.Podtrack(args...); code != 0 {
		return errors.New(stderr)
	}
	return nil
}

func sameFiles(t *testing.T, a, b string) bool {
	t.Helper()
	one, err := os.ReadFile(a)
	e2e.Must(t, err)
	other, err := os.ReadFile(b)
	e2e.Must(t, err)
	return bytes.Equal(one, other)
}

// checkRetry repeats the command without a fault, unless it has done its work.
func (b *bench) checkRetry(t *testing.T, dir, call string) error {
	if !b.before.Equal(b.after) && b.done(t, dir, call) == nil {
		return nil
	}
	if b.restore != nil {
		b.restore()
	}
	if code, _, stderr := e2e.Podtrack(inDir(dir, b.args)...); code != 0 {
		return fmt.Errorf("again: exit code %d\n%s", code, stderr)
	}
	return b.done(t, dir, call)
}
