package tracker

import (
	"errors"
	"fmt"
	"os"

	"github.com/podtrack/podtrack/tracker/pages"
)

// preflight refuses what bbolt must not see: it makes a database of an empty
// file, reads beyond the end of one that was cut off, and hangs, faults or
// destroys where the structure is damaged. What reads is not to go through
// bbolt, and checks what it goes through; so only what writes needs a walk.
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
	b, err := file.OpenBucket(bucketPodtrack)
	if err == nil && b == nil {
		err = notStoreError(s.path, "a bbolt file of another program")
	}
	return err
}

// verifyStructure looks at the whole structure but the leaves of records, which [checkedBucket]
// does, and holds it to the list of free pages: a page that is in use and free
// would be written over.
func (s *Store) verifyStructure(file *pages.File, info os.FileInfo) error {
	_, err := file.Traverse(pages.TraverseOptions{Shallow: []string{bucketRecords}})
	if err == nil {
		s.verified.Store(&verifiedSnapshot{info: info, txid: file.Txid})
	}
	return err
}

// requireIntact does what walk does for who reads all and puts another file in the
// place of this one: what is damaged is for repair, which keeps the damaged file.
func (s *Store) requireIntact(file *pages.File) error {
	_, err := file.Traverse(pages.TraverseOptions{Shallow: []string{bucketRecords}})
	var d *pages.Damage
	if errors.As(err, &d) {
		return unopenableError(s.path, d.Error())
	}
	return err
}

// verifiedSnapshot is a state of a file that was walked.
type verifiedSnapshot struct {
	info os.FileInfo
	txid uint64
}

// isVerified says whether this store walked the file, in this state or an earlier
// one: what is committed after it comes from processes that walked it too.
func (s *Store) isVerified(file *pages.File, info os.FileInfo) bool {
	at := s.verified.Load()
	return at != nil && os.SameFile(at.info, info) && file.Txid >= at.txid
}
