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
func (i *inode) apply(c syscalled) error {
	switch c.name {
	case "pwrite64":
		at, err := strconv.ParseInt(c.args[3], 10, 64)
		if err != nil {
			return err
		}
		i.change(patch{at, unhex(c.args[1])[:c.result]})
	case "write":
		i.change(patch{int64(len(i.content)), unhex(c.args[1])[:c.result]})
	case "ftruncate":
		at, err := strconv.ParseInt(c.args[1], 10, 64)
		if err != nil {
			return err
		}
		i.change(patch{at: at})
	case "fsync", "fdatasync":
		i.onDisk, i.changes = bytes.Clone(i.content), nil
	default:
		return fmt.Errorf("%s is not in the model", c.name)
	}
	return nil
}

func (i *inode) change(c patch) {
	i.changes = append(i.changes, c)
	i.content = c.apply(i.content)
}

func (p patch) apply(content []byte) []byte {
	end := p.at + int64(len(p.data))
	if missing := end - int64(len(content)); missing > 0 {
		content = append(content, make([]byte, missing)...)
	}
	if p.data == nil {
		return content[:end]
	}
	copy(content[p.at:], p.data)
	return content
}

// parts returns the sectors of a write.
func (p patch) parts(sector int64) (parts []patch) {
	if p.data == nil {
		return []patch{p}
	}
	for at, data := p.at, p.data; len(data) > 0; {
		n := min(sector-at%sector, int64(len(data)))
		parts = append(parts, patch{at, data[:n]})
		at, data = at+n, data[n:]
	}
	return parts
}
