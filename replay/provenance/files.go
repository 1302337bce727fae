package provenance

import (
	"crypto/sha256"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// maxFileBytes is the size of the largest file that is hashed: larger ones are data.
const maxFileBytes = 64 << 20

// interpreters matches the names of programs that execute another file.
var interpreters = textfmt.Pattern(
	`^(python|pypy|node|deno|bun|julia|Rscript|R|ruby|perl|lua|luajit|php|java|dotnet|mono|sh|bash|dash|zsh|ksh|fish|` +
		`env|nice|nohup|timeout|stdbuf|uv|conda|mamba|poetry|pipenv|apptainer|singularity|docker|podman)[0-9.]*(\.exe)?$`)

// A File is a file of a program, with the SHA-256 of its contents.
type File struct {
	Path   string
	Digest schema.Digest
}

// DigestFiles returns one digest over all files, nil for none. It depends on their names and contents, but not on their
// order or their folders, which differ between machines. Only __init__.py counts with its folder, which names the
// package.
func DigestFiles(files []File) *schema.Digest {
	if len(files) == 0 {
		return nil
	}
	var lines []string
	for _, f := range files {
		folder, name := path.Split(filepath.ToSlash(f.Path))
		if name == "__init__.py" {
			name = path.Join(path.Base(folder), name)
		}
		lines = append(lines, f.Digest.String()+" "+name+"\n")
	}
	slices.Sort(lines)
	return new(schema.Digest(sha256.Sum256([]byte(strings.Join(lines, "")))))
}

// DescribeCommand returns the files that the words of a command name, with their digests: its program, and each
// argument that is a regular file. Files that cannot be read are left out, as are those of more than 64 MiB. An
// interpreter is not a file of the program but a dependency, like a package: its digest is in packages, by its name.
func DescribeCommand(words []string) (files []File, packages map[string]string) {
	for i, path := range words {
		if i > 0 {
			files = AddFile(files, path)
			continue
		}
		found, err := programs.Find(path)
		if err != nil {
			continue
		}
		if name := filepath.Base(path); interpreters().MatchString(name) {
			if f, ok := hashFile(found); ok {
				packages = map[string]string{name: f.Digest.String()[:12]}
			}
			continue
		}
		files = AddFile(files, found)
	}
	return files, packages
}

// AddFile adds a file with its digest, unless files has it already or [DescribeCommand] would leave it out.
func AddFile(files []File, path string) []File {
	has := func(f File) bool { return f.Path == path }
	if slices.ContainsFunc(files, has) {
		return files
	}
	if f, ok := hashFile(path); ok {
		files = append(files, f)
	}
	return files
}

// fileState identifies the contents of a file: while it stays the same, the file need not be hashed again.
type fileState struct {
	path    string
	bytes   int64
	written time.Time
}

// hashed caches the digests of files by their fileState: several stages of a run often share a program.
var hashed sync.Map

// hashFile hashes a file, unless it is unchanged since the last time.
func hashFile(path string) (File, bool) {
	info, err := os.Stat(path) // before opening it: opening a pipe would wait for a writer
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFileBytes {
		return File{}, false
	}
	state := fileState{path, info.Size(), info.ModTime()}
	if f, ok := hashed.Load(state); ok {
		return f.(File), true
	}
	f, ok := readDigest(path)
	if ok {
		hashed.Store(state, f)
	}
	return f, ok
}

func readDigest(path string) (File, bool) {
	file, err := os.Open(path)
	if err != nil {
		return File{}, false
	}
	defer file.Close()
	h := sha256.New()
	if n, err := io.Copy(h, io.LimitReader(file, maxFileBytes+1)); err != nil || n > maxFileBytes {
		return File{}, false
	}
	return File{Path: path, Digest: [sha256.Size]byte(h.Sum(nil))}, true
}
