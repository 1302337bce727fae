package tracker

import (
	"cmp"

	"github.com/podtrack/podtrack/schema"
)

// union is what is to be said of a run when another store's words are added to
// what is said here, and what of it is new.
type union struct {
	Annotation
	changed  bool // the annotation is not as it is here
	tags     []tagged
	sessions []Session
	taken    string // the name there, which another run has here
}

func (u union) nothing() bool { return !u.changed && len(u.tags) == 0 && len(u.sessions) == 0 }

// unite adds theirs to what is said here. Nothing says when a name or a note was
// given, so ours stay, and theirs are taken where we have none. The higher target
// counts. How the last attempt failed goes with the longer sequence of
// iterations.
func (t *Tx) unite(id schema.Digest, theirs said, longer bool) (u union, err error) {
	ours, err := t.Annotation(id)
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
		holder, ok, err := read[runRef](t, bucketNames, []byte(theirs.Name))
		switch {
		case err != nil:
			return u, err
		case ok && holder.Run != id:
			u.taken = theirs.Name
		default:
			u.Name = theirs.Name
		}
	}
	u.changed = u.Annotation != ours
	return u, t.uniteRows(id, theirs, &u)
}

// uniteRows finds the tags and sessions that are not here.
func (t *Tx) uniteRows(id schema.Digest, theirs said, u *union) error {
	for _, tag := range theirs.tags {
		if t.buckets[bucketTags].Get(tagKey(id, tag.tag)) == nil {
			u.tags = append(u.tags, tag)
		}
	}
	ours, err := t.Sessions(id)
	if err != nil {
		return err
	}
	known := map[stint]bool{}
	for _, s := range ours {
		known[s.stint()] = true
	}
	for _, s := range theirs.sessions {
		if !known[s.stint()] {
			known[s.stint()] = true
			u.sessions = append(u.sessions, s)
		}
	}
	return nil
}

// stint is what no two sessions have in common.
type stint struct {
	started, ended int64
	host           string
	pid, from, to  int
}

func (s Session) stint() stint { return stint{s.Started, s.Ended, s.Host, s.PID, s.From, s.To} }

// putUnion writes what is new of a run that is here.
func (t *Tx) putUnion(id schema.Digest, u union) error {
	if u.changed {
		if err := t.annotate(id, u.Annotation); err != nil {
			return err
		}
	}
	if u.changed && u.Name != "" {
		if err := write(t, bucketNames, []byte(u.Name), runRef{Run: id}); err != nil {
			return err
		}
	}
	for _, tag := range u.tags {
		if err := write(t, bucketTags, tagKey(id, tag.tag), tagRow{Added: tag.added}); err != nil {
			return err
		}
	}
	for _, s := range u.sessions {
		if _, err := t.putSession(id, -1, s); err != nil {
			return err
		}
	}
	return nil
}
