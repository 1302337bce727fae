package tracker

import (
	"errors"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/rows"
)

// preflight rejects files that bbolt must not see: bbolt makes a database of an empty file, reads
// beyond the end of a truncated one, and hangs, faults or destroys data if the structure is
// damaged. Reading does not use bbolt and checks the pages that it reads, so only writing checks
// the structure in advance.
func (s *Store) preflight(f *os.File, write bool) (*pages.File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", s.path, err)
	}
	if info.Size() == 0 {
		return nil, notStoreError(s.path, "the file is empty")
	}
	file, err := pages.Open(f, info.Size())
	if err == nil {
		err = s.requireStore(file)
	}
	if err == nil && write && !s.isVerified(file, info) {
		err = s.verifyStructure(file, info)
	}
	var d *pages.Damage
	switch {
	case errors.As(err, &d):
		return nil, unopenableError(s.path, d.Error())
	case errors.Is(err, pages.ErrNoMetaPage):
		if _, err := pages.GuessPageSize(f, info.Size()); err == nil {
			return nil, unopenableError(s.path, "no valid meta page")
		}
		return nil, notStoreError(s.path, "no valid meta page")
	case errors.Is(err, ErrNotStore), err == nil:
		return file, err
	}
	return nil, fmt.Errorf("read %s: %w", s.path, err)
}

func (s *Store) requireStore(file *pages.File) error {
	b, err := file.OpenBucket(rows.BucketPodtrack)
	if err == nil && b == nil {
		err = unopenableError(s.path, "its pages lead to nothing of podtrack: it is of another program, or was copied "+
			"while a store was written")
	}
	return err
}

// verifyStructure checks the whole structure except the leaves of records, which package rows checks, and
// compares it with the freelist: a page in use that is listed as free would be overwritten.
func (s *Store) verifyStructure(file *pages.File, info os.FileInfo) error {
	err := file.Traverse(pages.TraverseOptions{Shallow: []string{rows.BucketRecords}})
	if err == nil {
		s.verified.Store(&verifiedSnapshot{info: info, txid: file.Txid})
	}
	return err
}

// RequireIntact checks the structure for callers that copy the store and replace its file. It
// refuses a damaged file: repair handles it and keeps the damaged file.
func (s *Store) RequireIntact(file *pages.File) error {
	err := file.Traverse(pages.TraverseOptions{Shallow: []string{rows.BucketRecords}})
	var d *pages.Damage
	if errors.As(err, &d) {
		return unopenableError(s.path, d.Error())
	}
	return err
}

// isVerified reports whether this store verified the file in this or an earlier state. Later
// commits are from processes that verified it too.
func (s *Store) isVerified(file *pages.File, info os.FileInfo) bool {
	at := s.verified.Load()
	return at != nil && os.SameFile(at.info, info) && file.Txid >= at.txid
}
