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

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// checkState compares the folder with what the command under way may leave, and with what it had printed.
func (r *recording) checkState(t *testing.T, dir string, i int, again bool) error {
	s, printed := r.at(i)
	if err := r.checkBundle(t, dir, i); err != nil {
		return fmt.Errorf("the bundle: %w", err)
	}
	store := filepath.Join(dir, "store.db")
	if s.spoiled != nil {
		there, err := holds(store, s.spoiled)
		if there || err != nil {
			r.counted["as spoiled"]++
			return err
		}
		if there, err := holds(store+".damaged", s.spoiled); !there {
			return errors.Join(errors.New("the damaged store is not kept"), err)
		}
	}
	now, err := look(t.Context(), store)
	if err != nil {
		return err
	}
	r.count(now, s)
	if err := now.Between(s.before, s.after); err != nil {
		return err
	}
	for id, c := range s.after {
		if n := len(c.Links); strings.Contains(printed, c.Links[n-1].String()) && len(now[id].Links) != n {
			return fmt.Errorf("run %s was printed with %d iterations, and has %d", id, n, len(now[id].Links))
		}
	}
	if again && s.args != nil && !slices.Contains(s.args, "export") && !now.Equal(s.after) {
		return r.checkRetry(t, s, dir)
	}
	return nil
}

// checkBundle: a bundle is there whole or not at all, and is there once its
// command has ended.
func (r *recording) checkBundle(t *testing.T, dir string, i int) error {
	path := filepath.Join(dir, "bundle.db")
	exported := i == len(r.calls)
	if !exported {
		step := r.calls[i].step
		if r.calls[i].first && i > 0 {
			step--
		}
		exported = slices.Contains(r.steps[step].args, "repair")
	}
	if _, err := os.Stat(path); err != nil && !exported {
		return nil
	}
	runs, err := look(t.Context(), path)
	if err == nil && len(runs) == 0 {
		err = errors.New("it is empty")
	}
	return err
}

func holds(path string, content []byte) (bool, error) {
	there, err := os.ReadFile(path)
	return bytes.Equal(there, content), err
}

// at returns the command under way before call i, and what it had printed by then.
// Between two commands there is none: that one has ended counts as much as what
// it has printed.
func (r *recording) at(i int) (s poweredStep, printed string) {
	if i == len(r.calls) {
		last := r.steps[len(r.steps)-1].after
		return poweredStep{before: last, after: last}, ""
	}
	s = r.steps[r.calls[i].step]
	if r.calls[i].first {
		return poweredStep{before: s.before, after: s.before}, ""
	}
	for j := i - 1; r.calls[j].step == r.calls[i].step && j > 0; j-- {
		printed = r.calls[j].printed() + printed
	}
	return s, printed
}

func (r *recording) count(now chains, s poweredStep) {
	switch {
	case now.Equal(s.after):
		r.counted["as after"]++
	case now.Equal(s.before):
		r.counted["as before"]++
	default:
		r.counted["on the way"]++
	}
}

// checkRetry repeats the command that the power loss ended.
func (r *recording) checkRetry(t *testing.T, s poweredStep, dir string) error {
	args := slices.Clone(s.args)
	for i, a := range args {
		if !strings.Contains(a, "elsewhere") {
			args[i] = strings.Replace(a, r.dir, dir, 1)
		}
	}
	if code, _, stderr := e2e.Podtrack(args...); code != 0 {
		return fmt.Errorf("%v again: exit code %d\n%s", args, code, stderr)
	}
	r.counted["done again"]++
	now, err := look(t.Context(), filepath.Join(dir, "store.db"))
	if err == nil && !now.Equal(s.after) {
		err = fmt.Errorf("again: the store has %v, is to have %v", now, s.after)
	}
	return err
}
