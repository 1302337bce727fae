package replay_test

import (
	"bytes"
	"os"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/pages"
)

// TestDamagedPage damages the page of an option. Records are read ahead, and those that lie elsewhere must still be
// found identical: in the iterations before, and in the stages before of the same iteration.
func TestDamagedPage(t *testing.T) {
	const damaged = 2
	store, run := perform(t, replay.Job{Spec: pod.PaperSpec(), Target: damaged + 1})
	it := iterationsOf(t, store, run.ID)[damaged]
	options := it.RecordsOf(schema.KindOption)
	var option, transitions []byte
	spoil(t, store, func(digests, _ *bbolt.Bucket) error {
		last, first := options[len(options)-1], it.Records[0].Name
		option, transitions = bytes.Clone(digests.Get(last[:])), bytes.Clone(digests.Get(first[:]))
		return nil
	})
	content, err := os.ReadFile(store.Path())
	ok(t, err)
	file, err := pages.Open(bytes.NewReader(content), int64(len(content)))
	ok(t, err)
	pageOf := map[string]uint64{}
	err = file.Traverse(pages.TraverseOptions{Bucket: "records", Visit: func(e pages.Element) error {
		pageOf[string(e.Key)] = e.Page
		return nil
	}})
	ok(t, err)
	if pageOf[string(option)] == pageOf[string(transitions)] {
		t.Fatal("the option and the transitions lie in one page")
	}
	content[int64(pageOf[string(option)])*file.PageSize] ^= 1 // the page's number in its header
	ok(t, os.WriteFile(store.Path(), content, 0o600))

	j := judge(t, store, run, replay.Scope{})
	for _, it := range j.Iterations[:damaged] {
		if !it.Identical {
			t.Errorf("iteration %d: %v", it.K, it)
		}
	}
	last := j.Iterations[damaged]
	for _, s := range last.Stages {
		if want := map[string]replay.Verdict{
			stages.Collect: replay.Identical, stages.Learn: replay.Damaged,
		}[s.Stage]; want != "" && s.Verdict != want {
			t.Errorf("%s: %s, want %s: %s", s.Stage, s.Verdict, want, s.Reason)
		}
	}
}
