package sweep

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// maxTags limits the tags of a plan: each run gets all of them in one transaction.
const maxTags = 100

// Plan lists the runs of a sweep, and how they are annotated. It is immutable.
type Plan struct {
	runset.Plan
	Name string             // template of the runs' names, "" for none: see [ExpandName]
	Tags []string           // that each run gets
	Keep *tracker.Retention // what is kept of each run, nil for everything
}

// job returns the job of the i-th run.
func (p *Plan) job(i int) (replay.Job, error) {
	spec := p.At(i)
	name, err := ExpandName(p.Name, spec)
	return replay.Job{Spec: spec, Target: p.Iterations, Name: name, Tags: p.Tags, Keep: p.Keep}, err
}

// Jobs returns the jobs of all runs, which have different names.
func (p *Plan) Jobs(ctx context.Context) (jobs []replay.Job, err error) {
	err = p.checkNames(ctx)
	for i := 0; err == nil && i < p.Len(); i++ {
		var job replay.Job
		job, err = p.job(i)
		jobs = append(jobs, job)
	}
	return jobs, err
}

// Check returns an error for a plan that cannot be executed: without runs or with too many, or with a name that two
// runs would have. The specs, which differ and have seed 0, were checked when they were made.
func (p *Plan) Check(ctx context.Context) error {
	if err := p.CheckSize(); err != nil {
		return err
	}
	if len(p.Tags) > maxTags {
		return schema.Hint(fmt.Errorf("%w: %d tags", runset.ErrPlan, len(p.Tags)),
			"a sweep has at most %d; podtrack label --tag adds more to runs", maxTags)
	}
	for _, tag := range p.Tags {
		if err := tracker.ValidateTag(tag); err != nil {
			return err
		}
	}
	if p.Keep != nil {
		if err := p.Keep.Validate(); err != nil {
			return fmt.Errorf("%w: %w", runset.ErrPlan, err)
		}
	}
	for i, spec := range p.Specs {
		if err := cmp.Or(ctx.Err(), replay.Job{Spec: spec, Target: p.Iterations}.CheckData()); err != nil {
			return fmt.Errorf("spec %d: %w", i, err)
		}
	}
	return p.checkNames(ctx)
}

// checkNames checks every name, since the template does not show which fields make it unique. If
// the seed is delimited in the template, the names of one seed suffice.
func (p *Plan) checkNames(ctx context.Context) error {
	if p.Name == "" {
		return nil
	}
	step := 1
	if separateSeed().MatchString(p.Name) {
		step = p.Seeds.Len()
	}
	seen := map[[sha256.Size]byte]bool{} // digests of names, which take less memory than these
	for i := 0; i < p.Len(); i += step {
		job, err := p.job(i)
		if err == nil && i%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		digest := sha256.Sum256([]byte(job.Name))
		if seen[digest] {
			return schema.Hint(fmt.Errorf("the name %q would belong to several runs", job.Name),
				"add a field that differs, such as {seed}")
		}
		seen[digest] = true
	}
	return nil
}

// separateSeed matches templates that begin or end with the seed, delimited by a non-digit. Two
// such names with different seeds differ.
var separateSeed = textfmt.Pattern(`^\{seed\}$|^\{seed\}[^0-9{]|[^0-9}]\{seed\}$`)

// ExpandName fills the fields in braces of a name's template, such as k{kappa}-s{seed}.
func ExpandName(template string, spec schema.Spec) (string, error) {
	if template == "" {
		return "", nil
	}
	pairs := []string{"{reading}", spec.Reading()}
	for _, f := range spec.Fields() {
		pairs = append(pairs, "{"+f.Name+"}", f.Value)
	}
	for _, name := range schema.OptionalFields() { // which may have their defaults
		value, _ := spec.Get(name)
		pairs = append(pairs, "{"+name+"}", value)
	}
	name := strings.NewReplacer(pairs...).Replace(template)
	if i := strings.IndexAny(name, "{}"); i >= 0 {
		return "", schema.Hint(fmt.Errorf("name %q has a brace that is not a field's", template),
			"fields are written as {seed} or {kappa}")
	}
	return name, tracker.ValidateName(name)
}

// Annotate records a plan that is a study in a store. It sets the tags and names on those of the runs that exist.
// Others get them when they start. A name that another run already has is not
// set, nor is one on a run that has another; Annotate returns the number of such names. The progress must be of
// this store alone.
func (p *Plan) Annotate(ctx context.Context, store *tracker.Store, l *Progress) (taken int, err error) {
	if p.Study != nil {
		if err := store.Update(ctx, func(tx *tracker.Tx) error { return tx.SetStudy(&p.Plan) }); err != nil {
			return 0, err
		}
	}
	var present []int
	for n := range l.ids {
		if l.at[n].Exists {
			present = append(present, n)
		}
	}
	err = tracker.UpdateEach(ctx, store, present, func(tx *tracker.Tx, n int) error {
		err := p.annotate(tx, l, n)
		if errors.Is(err, tracker.ErrTaken) || errors.Is(err, tracker.ErrNamed) {
			taken++
			return nil
		}
		return err
	})
	return taken, err
}

func (p *Plan) annotate(tx *tracker.Tx, l *Progress, n int) error {
	for _, tag := range p.Tags {
		if err := tx.AddTag(l.ids[n], tag); err != nil {
			return err
		}
	}
	if p.Name == "" {
		return nil
	}
	job, err := p.job(l.planIndex(n))
	if err != nil {
		return err
	}
	return tx.GiveName(l.ids[n], job.Name)
}

// Shard is part I of N, from 0: every N-th run of a plan from the I-th on. Each shard has seeds of
// every spec, so that all take about the same time.
type Shard struct{ I, N int }

// WholePlan is the shard that contains the whole plan.
var WholePlan = Shard{0, 1}

// MaxShards limits N.
const MaxShards = 1_000_000

// ParseShard parses i/n.
func ParseShard(text string) (Shard, error) {
	i, n, ok := strings.Cut(text, "/")
	var s Shard
	var err1, err2 error
	s.I, err1 = strconv.Atoi(i)
	s.N, err2 = strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || s.N < 1 || s.N > MaxShards || s.I < 0 {
		return s, schema.Hint(fmt.Errorf("invalid shard %q", text),
			"write it as i/n: part i, from 0, of n parts, such as 0/8 to 7/8; there can be %d", MaxShards)
	}
	if s.I >= s.N {
		return s, schema.Hint(fmt.Errorf("shard %s: there is no such part", s), "the parts of %d are 0/%d to %d/%d", s.N,
			s.N, s.N-1, s.N)
	}
	return s, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.I, s.N) }
