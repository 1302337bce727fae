package faults

import (
	"bytes"
	"fmt"
	"strconv"
)

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

// apply does what a call on the file did, which did something.
func (f *inode) apply(c syscalled) error {
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

// parts returns the sectors of a write.
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
