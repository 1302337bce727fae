package tracker

import (
	"cmp"

	"github.com/podtrack/podtrack/schema"
)

// mergedMetadata is the result of merging another store's metadata of a run into this store's, with
// the parts that are new.
type mergedMetadata struct {
	Annotation
	changed   bool // the annotation differs from ours
	tags      []tagEntry
	sessions  []sessionUpdate
	proofs    []proofLevels
	nameTaken string // their name of the run, if another run has it here
}

func (u mergedMetadata) isEmpty() bool {
	return !u.changed && len(u.tags) == 0 && len(u.sessions) == 0 && len(u.proofs) == 0
}

// sessionUpdate is a session that replaces this store's session number n, of which it is a later
// state. With a negative n it is a new session.
type sessionUpdate struct {
	n int
	Session
}

// mergeMetadata merges another store's metadata into this store's. Names and notes have no times,
// so ours are kept, and theirs fill in missing ones. The higher target wins. The failure of the
// last attempt is taken from the store with more iterations.
func (t *Tx) mergeMetadata(id schema.Digest, theirs runMetadata, longer bool) (u mergedMetadata, err error) {
	ours, err := t.ReadAnnotation(id)
	if err != nil {
		return u, err
	}
	u.Annotation = Annotation{
		Name: ours.Name, Note: cmp.Or(ours.Note, theirs.Note), Created: cmp.Or(ours.Created, theirs.Created),
		Target: max(ours.Target, theirs.Target), Failure: ours.Failure,
	}
	if longer || ours.Created == 0 { // of a run that this store lacks
		u.Failure = theirs.Failure
	}
	if u.Name == "" && theirs.Name != "" {
		holder, ok, err := readRow[runRef](t, bucketNames, []byte(theirs.Name))
		switch {
		case err != nil:
			return u, err
		case ok && holder.Run != id:
			u.nameTaken = theirs.Name
		default:
			u.Name = theirs.Name
		}
	}
	u.changed = u.Annotation != ours
	return u, t.mergeRows(id, theirs, &u)
}

// mergeRows finds the tags, sessions and proof levels that this store lacks.
func (t *Tx) mergeRows(id schema.Digest, theirs runMetadata, u *mergedMetadata) error {
	for _, tag := range theirs.tags {
		if t.buckets[bucketTags].Get(tagKey(id, tag.tag)) == nil {
			u.tags = append(u.tags, tag)
		}
	}
	u.proofs = t.missingProofs(id, theirs.proofs)
	ours, err := t.readSessionRows(id)
	if err != nil {
		return err
	}
	known := map[sessionKey]int{}
	for n, s := range ours {
		known[s.key()] = n
	}
	for _, s := range theirs.sessions {
		n, here := known[s.key()]
		switch {
		case !here:
			known[s.key()], n = len(ours), -1
			ours = append(ours, s)
		case !s.supersedes(ours[n]):
			continue
		}
		u.sessions = append(u.sessions, sessionUpdate{n, s})
	}
	return nil
}

// sessionKey identifies a session of a run. It does not change while the session runs.
type sessionKey struct {
	started   int64
	host      string
	pid, from int
}

func (s Session) key() sessionKey { return sessionKey{s.Started, s.Host, s.PID, s.From} }

// supersedes reports whether s is a later state of the session before.
func (s Session) supersedes(before Session) bool {
	if !before.isOpen() && before.State != SessionVanished {
		return false
	}
	return s.State != SessionVanished || s.Saved > before.Saved
}

// putMetadata writes the new parts of the metadata of an existing run.
func (t *Tx) putMetadata(id schema.Digest, u mergedMetadata) error {
	if u.changed {
		if err := t.writeAnnotation(id, u.Annotation); err != nil {
			return err
		}
	}
	if u.changed && u.Name != "" {
		if err := writeRow(t, bucketNames, []byte(u.Name), runRef{Run: id}); err != nil {
			return err
		}
	}
	for _, tag := range u.tags {
		if err := writeRow(t, bucketTags, tagKey(id, tag.tag), tagRow{Added: tag.added}); err != nil {
			return err
		}
	}
	for _, s := range u.sessions {
		if _, err := t.putSession(id, s.n, s.Session); err != nil {
			return err
		}
	}
	return nil
}
