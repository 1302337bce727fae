package faults

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
)

// disk is a model of a disk: what processes see of it, what is on it for sure,
// and what was changed since the last sync, of which anything can be on it.
type disk struct {
	names   map[string]*inode // by path
	onDisk  map[string]*inode
	renamed []naming // since their folders were synced
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

// in reports whether one of the names is in that folder. A rename from one folder to
// another is one change: file systems with a journal write it with either folder.
func (n naming) in(dir string) bool {
	for name := range n {
		if filepath.Dir(name) == dir {
			return true
		}
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

// crash returns what can be there when the power comes back: all that was synced, and
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
