package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	minute = time.Minute
	hour   = time.Hour
)

// A test is a test function, or a script of TestScripts.
type test struct {
	Pkg, Name string
	Duration  time.Duration
	Lines     map[string][]int // by file: the first and the last line of each block executed
}

// covers reports whether the test executes a line of which a mutation can change what it does.
func (t test) covers(m mutation) bool {
	for lines := range slices.Chunk(t.Lines[m.file()], 2) {
		if lines[0] <= m.last && m.first <= lines[1] {
			return true
		}
	}
	return false
}

// A group is tests of one package that run in one command.
type group struct {
	pkg      string
	names    []string
	duration time.Duration
}

// groupsFor returns the tests that cover a mutation: those of its package first, then the quickest.
func groupsFor(m mutation, tests []test) (groups []group) {
	for _, t := range tests {
		if !t.covers(m) {
			continue
		}
		if len(groups) == 0 || groups[len(groups)-1].pkg != t.Pkg {
			groups = append(groups, group{pkg: t.Pkg})
		}
		g := &groups[len(groups)-1]
		g.names, g.duration = append(g.names, t.Name), g.duration+t.Duration
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Compare(a.duration, b.duration) })
	if own := slices.IndexFunc(groups, func(g group) bool { return g.pkg == m.pkg }); own > 0 {
		groups = slices.Concat(groups[own:own+1], groups[:own], groups[own+1:])
	}
	return groups
}

// loadTests returns all tests of the module with what they execute of the packages, from a file if it exists.
func loadTests(file string, patterns []string) (tests []test) {
	if data, err := os.ReadFile(file); err == nil {
		check(json.Unmarshal(data, &tests))
		return tests
	}
	for _, p := range list("./...") {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			tests = append(tests, measure(p, patterns)...)
		}
	}
	data, err := json.Marshal(tests)
	check(err)
	check(os.WriteFile(file, data, 0o666))
	return tests
}

// measure runs each test of a package by itself, and returns those that pass with what they execute.
func measure(p goPackage, patterns []string) (tests []test) {
	work, err := os.MkdirTemp("", "mutate")
	check(err)
	defer os.RemoveAll(work)
	binary, profile := filepath.Join(work, "tests"), filepath.Join(work, "profile")
	covered := "-coverpkg=" + strings.Join(patterns, ",")
	if out, err := run("", hour, "go", "test", "-c", "-cover", covered, "-o", binary, p.ImportPath); err != nil {
		log.Fatal(p.ImportPath, ": ", out)
	}
	for _, name := range testNames(binary, p.Dir) {
		counters, err := os.MkdirTemp(work, "")
		check(err)
		check(os.Setenv("GOCOVERDIR", counters)) // for the processes that tests start
		began := time.Now()
		out, err := run(p.Dir, 5*minute, binary, "-test.run="+pattern(name), "-test.gocoverdir="+counters)
		if err != nil {
			log.Printf("%s fails without a mutation: %s", name, out)
			continue
		}
		t := test{Pkg: p.ImportPath, Name: name, Duration: time.Since(began), Lines: map[string][]int{}}
		_, err = run("", hour, "go", "tool", "covdata", "textfmt", "-i="+counters, "-o="+profile)
		check(err)
		data, err := os.ReadFile(profile)
		check(err)
		for _, line := range executed.FindAllSubmatch(data, -1) {
			var first, last int
			_, err := fmt.Sscan(string(line[2])+" "+string(line[3]), &first, &last)
			check(err)
			t.Lines[string(line[1])] = append(t.Lines[string(line[1])], first, last)
		}
		tests = append(tests, t)
	}
	log.Printf("%s: %d tests", p.ImportPath, len(tests))
	return tests
}

// executed matches a block of a profile that was executed: its file, its first and its last line.
var executed = regexp.MustCompile(`(?m)^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ [1-9]`)

// testNames returns the names of a package's tests, or of its scripts alone if it has any.
func testNames(binary, dir string) (names []string) {
	scripts, err := filepath.Glob(filepath.Join(dir, "testdata", "scripts", "*.txtar"))
	check(err)
	for _, script := range scripts {
		names = append(names, "TestScripts/"+strings.TrimSuffix(filepath.Base(script), ".txtar"))
	}
	if names == nil {
		out, err := run(dir, minute, binary, "-test.list=^(Test|Example|Fuzz)")
		check(err)
		names = strings.Fields(out)
	}
	return names
}

// pattern returns the regular expression of tests, which are all functions or all scripts.
func pattern(names ...string) string {
	all := strings.Join(names, "|")
	if strings.Contains(all, "/") {
		return "^TestScripts$/^(" + strings.ReplaceAll(all, "TestScripts/", "") + ")$"
	}
	return "^(" + all + ")$"
}

// run runs a command and returns what it prints.
func run(dir string, limit time.Duration, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.WaitDelay = dir, 5*time.Second
	out, err := c.CombinedOutput()
	return string(out), err
}
