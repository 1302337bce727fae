package command

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestGroups: the commands of each group of podtrack help are registered in one folder.
func TestGroups(t *testing.T) {
	folders := map[string]string{"Run": "run", "Inspect": "inspect", "Compare": "compare", "Show": "show",
		"Share": "share", "Care": "store", "Program": "."}
	registered := regexp.MustCompile(`Group: cmdline\.Group(\w+)`)
	commands := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		folder, _, below := strings.Cut(path, "/")
		if !below {
			folder = "."
		}
		for _, m := range registered.FindAllStringSubmatch(string(text), -1) {
			if commands++; folders[m[1]] != folder {
				t.Errorf("%s registers a command of the group %s, which is in folder %q", path, m[1], folders[m[1]])
			}
		}
		return err
	})
	if err != nil || commands < 20 {
		t.Errorf("%d commands, %v", commands, err)
	}
}
