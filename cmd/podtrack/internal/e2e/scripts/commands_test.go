package scripts

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/wire"
)

// scriptCommands are what scripts of the program have beside their own commands:
//
//	absent GLOB…        no file must have such a name
//	exits CODE ARG…     podtrack ARG… must exit with CODE, without a stack trace;
//	                    on failure it must say what failed and how to mend it
//	newer-format FILE   makes a store of the next format out of the one in FILE
//	spoil FILE BUCKET N changes the last byte of the N-th row of a bucket of the
//	                    store in FILE, counted from 0
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"absent":       absentFiles,
	"exits":        exits,
	"newer-format": newerFormat,
	"spoil":        spoil,
}

// scriptCondition reports what scripts ask in brackets: long, whether tests run at full length, and program:NAME,
// whether a program is here. It fails the script where one is lacking that must be.
func scriptCondition(condition string) (bool, error) {
	if condition == "long" {
		return schematest.Long() || os.Getenv("PODTRACK_REQUIRE_ALL") != "", nil
	}
	name, ok := strings.CutPrefix(condition, "program:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", condition)
	}
	if _, err := exec.LookPath(name); err != nil {
		return false, schematest.Lacking(name + " is not on PATH")
	}
	return true, nil
}

func absentFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: absent GLOB…")
	}
	for _, glob := range args {
		names, err := filepath.Glob(ts.MkAbs(glob))
		ts.Check(err)
		if len(names) > 0 {
			ts.Fatalf("there is %s", strings.Join(names, ", "))
		}
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("podtrack", args[1:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("podtrack did not run: %v", err)
	}
	stderr := ts.ReadFile("stderr")
	ts.Logf("[exit %d]\n%s", got, stderr)
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if got != 0 {
		checkFailure(ts, stderr)
	}
}

func checkFailure(ts *testscript.TestScript, stderr string) {
	if why := e2e.CheckMessage(stderr); why != "" {
		ts.Fatalf("%s", why)
	}
}

// newerFormat raises the format number in the row that says it. FORMAT.md fixes
// that row's bytes for every version.
func newerFormat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: newer-format FILE")
	}
	db, err := bbolt.Open(ts.MkAbs(args[0]), 0o666, &bbolt.Options{Timeout: time.Second})
	ts.Check(err)
	value, err := wire.Marshal(map[string]int{"format": schema.FormatVersion + 1})
	ts.Check(err)
	sum := sha256.Sum256([]byte("podtrack/row/1" + "podtrack" + "format" + string(value)))
	ts.Check(db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("podtrack")).Put([]byte("format"), append(value, sum[:8]...))
	}))
	ts.Check(db.Close())
}

func spoil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: spoil FILE BUCKET N")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	db, err := bbolt.Open(ts.MkAbs(args[0]), 0o666, &bbolt.Options{Timeout: time.Second})
	ts.Check(err)
	ts.Check(db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(args[1]))
		c := b.Cursor()
		key, row := c.First()
		for range n {
			key, row = c.Next()
		}
		bad := append([]byte{}, row...)
		bad[len(bad)-1] ^= 0xff
		return b.Put(key, bad)
	}))
	ts.Check(db.Close())
}
