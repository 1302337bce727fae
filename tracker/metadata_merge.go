package tracker

import (
	"cmp"

	"github.com/podtrack/podtrack/schema"
)

// mergedMetadata is what is to be said of a run when another store's words are added to
// what is said here, and what of it is new.
type mergedMetadata struct {
	Annotation
	changed   bool // the annotation is not as it is here
	tags      []tagEntry
	sessions  []sessionUpdate
	proofs    []proofLevels
	nameTaken string // the name there, which another run has here
}

func (u mergedMetadata) isEmpty() bool {
	return !u.changed && len(u.tags) == 0 && len(u.sessions) == 0 && len(u.proofs) == 0
}

// sessionUpdate is a session that takes the place of the one of that number here, which it
// is a later state of; a negative number is that of one that is not here.
type sessionUpdate struct {
	n int
	Session
}

// mergeMetadata adds theirs to what is said here. Nothing says when a name or a note was
// given, so ours stay, and theirs are taken where we have none. The higher target
// counts. How the last attempt failed goes with the longer sequence of
// iterations.
func (t *Tx) mergeMetadata(id schema.Digest, theirs runMetadata, longer bool) (u mergedMetadata, err error) {
	ours, err := t.ReadAnnotation(id)
	if err != nil {
		return u, err
	}
	u.Annotation = Annotation{
		Name: ours.Name, Note: cmp.Or(ours.Note, theirs.Note), Created: cmp.Or(ours.Created, theirs.Created),
		Target: max(ours.Target, theirs.Target), Failure: ours.Failure,
	}
	if longer || ours.Created == 0 { // which is a run that is not here
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

// mergeRows finds the tags and sessions that are not here.
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

// sessionKey is what no two sessions of a run have in common, and what stays while one
// goes on.
type sessionKey struct {
	started   int64
	host      string
	pid, from int
}

func (s Session) key() sessionKey { return sessionKey{s.Started, s.Host, s.PID, s.From} }

// supersedes reports whether s is a later state of a session than before.
func (s Session) supersedes(before Session) bool {
	if !before.isOpen() && before.State != SessionVanished {
		return false
	}
	return s.State != SessionVanished || s.Saved > before.Saved
}

// putMetadata writes what is new of a run that is here.
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
