package learn

import "golang.org/x/sys/cpu"

func init() {
	if cpu.X86.HasAVX2 {
		backup = backupVectors
	}
}

// backupVectors backs up what [backupLines] does, four states at a time. The offsets must lie within the tables.
func backupVectors(t *tables, j *backupJob) {
	if len(j.lines) > 0 && j.actions > 0 {
		backupAVX2(&t.w[0], &t.v[0], &t.next[0], j.first*blockLines, &j.lines[0], len(j.lines)/2, &j.offsets[0],
			j.actions, j.gamma, &j.changed[0])
	}
}

//go:noescape
func backupAVX2(w, v, next *float64, first int, lines *byte, count int, offsets *int32, actions int, gamma float64,
	changed *uint64)
