// Mutate changes the program in one place at a time and says whether a test notices:
//
//	go run ./cmd/podtrack/internal/mutate -n 60 -seed 1 ./pod ./tracker/... > table.md
//
// The arguments are patterns of packages. They and the kinds of mutations take turns, at random otherwise. A mutation
// is tried on the tests that execute its line: those of its package, then those of other packages and the scripts of
// the whole program, the quickest first. What each test executes is measured once and kept in a file. The mutated
// file is an overlay for the go command, so that no file of the module is written.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/podtrack/podtrack/"

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 20, "how many `mutations` to try")
	seed := flag.Uint64("seed", 1, "which ones: the same `seed` names the same ones of the same program")
	only := flag.String("only", "", "of those whose place and text match `REGEXP` alone, such as pod/svd.go:12")
	coverage := flag.String("coverage", "coverage.json", "`FILE` of what each test executes; made if it does not exist")
	packages := flag.Int("packages", 1000, "try the tests of at most `N` packages on each")
	flag.Parse()
	var pools [][]mutation
	for _, pattern := range flag.Args() {
		pools = append(pools, findAll(pattern, regexp.MustCompile(*only)))
	}
	order := draw(pools, rand.New(rand.NewPCG(*seed, 0)))
	tests := loadTests(*coverage, flag.Args())
	work, err := os.MkdirTemp("", "mutate")
	check(err)
	defer os.RemoveAll(work)
	fmt.Println("| place | mutation | |\n|---|---|---|")
	for _, m := range order {
		if *n == 0 {
			return
		}
		if verdict := try(m, filepath.Join(work, "overlay"), tests, *packages); verdict != "" {
			fmt.Printf("| %s | %s |\n", m, verdict)
			*n--
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal("mutate: ", err)
	}
}

// draw returns all mutations in random order, in which the pools and the kinds of mutations take turns.
func draw(pools [][]mutation, random *rand.Rand) (order []mutation) {
	all := len(slices.Concat(pools...))
	for _, pool := range pools {
		random.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	}
	for turn := 0; len(order) < all; turn++ {
		pool, kind := &pools[turn%len(pools)], kinds[(turn+turn/len(pools))%len(kinds)]
		if i := slices.IndexFunc(*pool, func(m mutation) bool { return m.kind == kind }); i >= 0 {
			order = append(order, (*pool)[i])
			*pool = slices.Delete(*pool, i, i+1)
		}
	}
	return order
}

// A goPackage is what go list says of a package.
type goPackage struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func list(pattern string) (packages []goPackage) {
	out, err := run("", hour, "go", "list", "-json", pattern)
	if err != nil {
		log.Fatal("go list: ", out)
	}
	for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
		var p goPackage
		check(d.Decode(&p))
		packages = append(packages, p)
	}
	return packages
}

// try runs the tests that cover a mutation until one fails, and returns what came of it: "" if the program does not
// compile with it.
func try(m mutation, overlay string, tests []test, packages int) string {
	source, err := os.ReadFile(m.path)
	check(err)
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{m.path: overlay + ".go"}})
	check(err)
	check(os.WriteFile(overlay+".go", slices.Concat(source[:m.from], []byte(m.text), source[m.to:]), 0o666))
	check(os.WriteFile(overlay, replaced, 0o666))
	if _, err := run("", hour, "go", "build", "-overlay", overlay, m.pkg); err != nil {
		return ""
	}
	groups, tried := groupsFor(m, tests), 0
	for _, g := range groups[:min(packages, len(groups))] {
		limit := minute + 5*g.duration
		out, err := run("", limit+hour, "go", "test", "-overlay", overlay, "-vet=off", "-failfast", "-timeout",
			limit.String(), "-run", pattern(g.names...), g.pkg)
		if err != nil {
			if failed := failedTest.FindAllStringSubmatch(out, -1); failed != nil {
				return "killed by " + failed[len(failed)-1][1]
			}
			return "killed by a panic or the time limit in " + strings.TrimPrefix(g.pkg, module)
		}
		tried += len(g.names)
	}
	return fmt.Sprintf("SURVIVED %d tests", tried)
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
