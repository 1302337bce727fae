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
		return nil, notStore(s.path, "the file is empty")
	}
	file, err := pages.Open(f, info.Size())
	if err == nil {
		err = s.isStore(file)
	}
	if err == nil && write && !s.walked(file, info) {
		err = s.walk(file, info)
	}
	var d *pages.Damage
	switch {
	case errors.As(err, &d):
		return nil, beyondOpening(s.path, d.Error())
	case errors.Is(err, pages.ErrNoMetaPage):
		if _, err := pages.GuessPageSize(f, info.Size()); err == nil {
			return nil, beyondOpening(s.path, "no valid meta page")
		}
		return nil, notStore(s.path, "no valid meta page")
	case errors.Is(err, ErrNotStore), err == nil:
		return file, err
	}
	return nil, fmt.Errorf("read %s: %w", s.path, err)
}

func (s *Store) isStore(file *pages.File) error {
	b, err := file.OpenBucket(bucketPodtrack)
	if err == nil && b == nil {
		err = notStore(s.path, "a bbolt file of another program")
	}
	return err
}

// walk looks at the whole structure but the leaves of records, which [probing]
// does, and holds it to the list of free pages: a page that is in use and free
// would be written over.
func (s *Store) walk(file *pages.File, info os.FileInfo) error {
	_, err := file.Traverse(pages.TraverseOptions{Shallow: []string{bucketRecords}})
	if err == nil {
		s.sound.Store(&soundness{info: info, txid: file.Txid})
	}
	return err
}

// refuseDamage does what walk does for who reads all and puts another file in the
// place of this one: what is damaged is for repair, which keeps the damaged file.
func (s *Store) refuseDamage(file *pages.File) error {
	_, err := file.Traverse(pages.TraverseOptions{Shallow: []string{bucketRecords}})
	var d *pages.Damage
	if errors.As(err, &d) {
		return beyondOpening(s.path, d.Error())
	}
	return err
}

// soundness is a state of a file that was walked.
type soundness struct {
	info os.FileInfo
	txid uint64
}

// walked says whether this store walked the file, in this state or an earlier
// one: what is committed after it comes from processes that walked it too.
func (s *Store) walked(file *pages.File, info os.FileInfo) bool {
	at := s.sound.Load()
	return at != nil && os.SameFile(at.info, info) && file.Txid >= at.txid
}
