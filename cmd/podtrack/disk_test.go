package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// disk is a model of a disk: what processes see of it, what is on it for sure,
// and what was changed since the last sync, of which anything can be on it.
type disk struct {
	names   map[string]*inode // by path
	onDisk  map[string]*inode
	renamed []naming // since their folders were synced
}

// inode is a file, whatever its names.
type inode struct {
	content []byte
	onDisk  []byte
	changes []patch // since the last sync
}

// patch is one write, or one of the file's size.
type patch struct {
	at   int64
	data []byte // nil to set the size to at
}

// naming gives names to files, or takes them away where the file is nil, at once.
type naming map[string]*inode

func newDisk() *disk { return &disk{names: map[string]*inode{}, onDisk: map[string]*inode{}} }

// apply does what a call did.
func (d *disk) apply(c syscalled) error {
	if c.result < 0 {
		return nil
	}
	switch c.name {
	case "openat":
		return d.open(c)
	case "linkat":
		return d.name(naming{path(c.args[3], c.args[2]): d.names[path(c.args[1], c.args[0])]})
	case "renameat":
		from := path(c.args[1], c.args[0])
		return d.name(naming{path(c.args[3], c.args[2]): d.names[from], from: nil})
	case "unlinkat":
		return d.name(naming{path(c.args[1], c.args[0]): nil})
	}
	file := path(c.args[0], "")
	if c.name == "fsync" && d.names[file] == nil {
		return d.syncFolder(file)
	}
	f := d.names[file]
	if f == nil {
		return fmt.Errorf("%s of %s, which nobody made", c.name, file)
	}
	return f.apply(c)
}

func (d *disk) open(c syscalled) error {
	file := path(c.args[1], c.args[0])
	if f := d.names[file]; f != nil || !strings.Contains(c.args[2], "O_CREAT") {
		if f != nil && strings.Contains(c.args[2], "O_TRUNC") {
			f.change(patch{})
		}
		return nil
	}
	return d.name(naming{file: {}})
}

func (d *disk) name(n naming) error {
	d.renamed = append(d.renamed, n)
	n.apply(d.names)
	return nil
}

func (n naming) apply(names map[string]*inode) {
	for name, f := range n {
		if names[name] = f; f == nil {
			delete(names, name)
		}
	}
}

// in says whether the names are of that folder. Those of a rename are of one.
func (n naming) in(dir string) bool {
	for name := range n {
		return filepath.Dir(name) == dir
	}
	return false
}

func (d *disk) syncFolder(dir string) error {
	d.renamed = slices.DeleteFunc(d.renamed, func(n naming) bool {
		if n.in(dir) {
			n.apply(d.onDisk)
		}
		return n.in(dir)
	})
	return nil
}

func (f *inode) apply(c syscalled) (err error) {
	switch c.name {
	case "pwrite64":
		at, err := strconv.ParseInt(c.args[3], 10, 64)
		if err != nil {
			return err
		}
		f.change(patch{at, unhex(c.args[1])[:c.result]})
	case "write":
		f.change(patch{int64(len(f.content)), unhex(c.args[1])[:c.result]})
	case "ftruncate":
		at, err := strconv.ParseInt(c.args[1], 10, 64)
		if err != nil {
			return err
		}
		f.change(patch{at: at})
	case "fsync", "fdatasync":
		f.onDisk, f.changes = bytes.Clone(f.content), nil
	default:
		return fmt.Errorf("%s is not in the model", c.name)
	}
	return nil
}

func (f *inode) change(c patch) {
	f.changes = append(f.changes, c)
	f.content = c.apply(f.content)
}

func (c patch) apply(content []byte) []byte {
	end := c.at + int64(len(c.data))
	if missing := end - int64(len(content)); missing > 0 {
		content = append(content, make([]byte, missing)...)
	}
	if c.data == nil {
		return content[:end]
	}
	copy(content[c.at:], c.data)
	return content
}

// crash is what can be there when the power comes back: all that was synced, and
// of all else each change with that probability, writes by the sector. The order
// is free: of a sector that was written twice, either can be there.
func (d *disk) crash(r *rand.Rand, chance float64, sector int64) map[string][]byte {
	names := maps.Clone(d.onDisk)
	for _, n := range d.renamed {
		if r.Float64() < chance {
			n.apply(names)
		}
	}
	files := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		content := bytes.Clone(names[name].onDisk)
		for _, c := range names[name].changes {
			for _, part := range c.parts(sector) {
				if r.Float64() < chance {
					content = part.apply(content)
				}
			}
		}
		files[name] = content
	}
	return files
}

// parts are the sectors of a write.
func (c patch) parts(sector int64) (parts []patch) {
	if c.data == nil {
		return []patch{c}
	}
	for at, data := c.at, c.data; len(data) > 0; {
		n := min(sector-at%sector, int64(len(data)))
		parts = append(parts, patch{at, data[:n]})
		at, data = at+n, data[n:]
	}
	return parts
}

// path is what an argument means that is a path, from a folder, or a descriptor.
func path(arg, from string) string {
	name := string(unhex(arg))
	if from == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(path(from, ""), name)
}

// unhex is what is in quotes, or what a descriptor is of, every byte in hexadecimal.
func unhex(arg string) []byte {
	_, arg, _ = strings.Cut(arg, `\x`)
	if end := strings.IndexAny(arg, `">`); end >= 0 {
		arg = arg[:end]
	}
	b := make([]byte, 0, len(arg)/4+1)
	for digits := range strings.SplitSeq(arg, `\x`) {
		v, err := strconv.ParseUint(digits, 16, 8)
		if err != nil {
			return nil
		}
		b = append(b, byte(v))
	}
	return b
}
