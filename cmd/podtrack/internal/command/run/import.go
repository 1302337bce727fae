package run

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/importer"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

const importDescription = `Takes transitions (arrays state and action) or a plain D (array delta) that were
recorded elsewhere as the dataset of iteration 0, and discovers eigenpurposes in
it. Every transition is compared with the environment. A plain D has no
environment: it gives only eigenpurposes. The digest of the data enters the
run's ID.`

// importing is the command import, with its flags.
type importing struct {
	runner.Flags
	npz, as string
	prefix  *string
}

var _ = cmdline.Register(cmdline.Command{
	Name: "import", Group: cmdline.GroupRun, Place: 5,
	Example:     "podtrack import --npz ring0.npz --prefix 0/ --bits 7",
	JSON:        []any{runResult{}},
	Usage:       "discover eigenpurposes in data recorded elsewhere",
	Description: importDescription,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var m importing
		flags := []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), cmdline.QuietFlag(),
			cmdline.Flag(&m.npz, "npz", "read the arrays of `FILE`, as numpy.savez or podtrack export writes it"),
			cmdline.Optional(&m.prefix, "prefix", "read the arrays whose names begin with `P`, such as 0/",
				"none, or the only one in the file"),
			&cli.StringFlag{Name: "as", Usage: "import them as `KIND`: " + importer.AsTransitions + " or " + importer.AsDelta,
				DefaultText: "transitions, if there are any", Destination: &m.as},
			m.IterationsFlag("1"),
			m.SpecFileFlag(), m.TimeoutFlag(),
			cmdline.Flag(&m.Name, "name", "name the run `NAME`, as for podtrack run"),
		}
		return append(flags, m.SpecFlags(schema.CollectStage)...), m.importData
	},
})

func (i *importing) importData(c *cli.Context) error {
	if err := cmdline.NoArgs(c, "podtrack import --npz FILE"); err != nil {
		return err
	}
	if i.npz == "" {
		return schema.Hint(errors.New("import needs a file"), "add --npz FILE")
	}
	job, note, err := i.job(c)
	if err != nil {
		return err
	}
	outcomes, err := i.RunJobs(c, []replay.Job{job}, nil)
	if len(outcomes) == 0 || outcomes[0].Run.IsZero() {
		return err
	}
	ctx, cancel := cmdline.ShutdownContext(c.Context)
	defer cancel()
	noted := cmdline.OpenStore(c).Update(ctx, func(tx *tracker.Tx) error {
		a, err := tx.ReadAnnotation(outcomes[0].Run)
		if err == nil && a.Note == "" { // or else it was noted before
			err = tx.SetNote(outcomes[0].Run, note)
		}
		return err
	})
	return cmp.Or(err, noted, showOutcomes(c, []replay.Job{job}, outcomes))
}

// job reads the file into a job. It checks everything before anything is written.
func (i *importing) job(c *cli.Context) (job replay.Job, note string, err error) {
	f, size, err := cmdline.OpenRegular(i.npz)
	if err != nil {
		return job, "", schema.Hint(fmt.Errorf("import: %w", err), "name a file that numpy.savez or podtrack export wrote")
	}
	defer f.Close()
	archive, err := importer.Open(f, size)
	if err == nil {
		job, note, err = i.readData(c, archive)
	}
	if err != nil {
		return job, "", cmdline.Interrupted(fmt.Errorf("import %s: %w", i.npz, err), "nothing was written",
			"rerun the command to start again")
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, size)); err != nil {
		return job, "", fmt.Errorf("import %s: %w", i.npz, err)
	}
	return job, fmt.Sprintf("%s of %s, SHA-256 %x", note, filepath.Base(i.npz), sum.Sum(nil)), nil
}

// readData returns the job for an archive's data, and describes the arrays that it uses.
func (i *importing) readData(c *cli.Context, archive *importer.Archive) (job replay.Job, arrays string, err error) {
	source, err := archive.FindSource(i.prefix, i.as)
	if err != nil {
		return job, "", err
	}
	read, arrays := i.importTransitions, source.Prefix+"state and "+source.Prefix+"action"
	if source.As == importer.AsDelta {
		read, arrays = i.importRows, source.Prefix+"delta"
	}
	spec, data, err := read(c, source)
	if err != nil {
		return job, "", err
	}
	if err := i.setData(&spec, data); err != nil {
		return job, "", err
	}
	job = replay.Job{Spec: spec, Target: 1, Data: data.Records}
	if i.Iterations != nil {
		if job.Target, err = i.ParseIterations(); err != nil {
			return job, "", err
		}
	}
	job.Name, err = sweep.ExpandName(i.Name, spec)
	return job, arrays, err
}

func (i *importing) importTransitions(c *cli.Context, source importer.Source) (
	spec schema.Spec, data importer.Data, err error,
) {
	if spec, _, err = i.ParseSpec(c); err != nil {
		return spec, data, err
	}
	env, err := recorded.NewEnv(spec)
	if err != nil {
		return spec, data, err
	}
	if !envs.HasActions(env) {
		return spec, data, schema.Hint(fmt.Errorf("environment %q has no states", spec.Env.Name),
			"name the environment that they were recorded in, or take a plain D with --as %s", importer.AsDelta)
	}
	steps, ok := envs.As[envs.SteppableEnv](env)
	if !ok {
		return spec, data, schema.Hint(fmt.Errorf("environment %q runs in another process",
			spec.Env.Name),
			"import takes transitions of environments without chance and without episodes")
	}
	data, err = source.ReadTransitions(c.Context, steps)
	return spec, data, err
}

// importRows reads a delta matrix D alone. The environment has as many features.
func (i *importing) importRows(c *cli.Context, source importer.Source) (
	spec schema.Spec, data importer.Data, err error,
) {
	if _, named := i.Given("env"); !named && !i.HasSpec() {
		if err = i.Give("env", envs.RowsName); err != nil {
			return spec, data, err
		}
	}
	if spec, _, err = i.ParseSpec(c); err != nil {
		return spec, data, err
	}
	if spec.Env.Name != envs.RowsName {
		return spec, data, schema.Hint(fmt.Errorf("a plain D in environment %q", spec.Env.Name),
			"a D has no states: leave the environment out, or import arrays state and action")
	}
	if data, err = source.ReadRows(c.Context); err != nil {
		return spec, data, err
	}
	asked := spec.Env.Params[envs.FeaturesParameter]
	if _, fixed := i.Given(envs.FeaturesParameter); (fixed || !spec.Data.IsZero()) && asked != int64(data.Dims) {
		return spec, data, differs(envs.FeaturesParameter, asked, int64(data.Dims))
	}
	return spec, data, spec.Set(envs.FeaturesParameter, strconv.Itoa(data.Dims))
}

// setData adds the data to the spec, which was checked without. It fails if the spec already states otherwise.
func (i *importing) setData(spec *schema.Spec, data importer.Data) error {
	if _, fixed := i.Given("steps"); (fixed || !spec.Data.IsZero()) && spec.Steps != data.Steps {
		return differs("steps", spec.Steps, data.Steps)
	}
	if !spec.Data.IsZero() && spec.Data != data.Digest {
		return schema.Hint(fmt.Errorf("the spec names the data %.12s, and the file holds %.12s: %w", spec.Data, data.Digest,
			cmdline.ErrDifference),
			"find the file that the spec was made of, or take the data out of the spec")
	}
	spec.Steps, spec.Data = data.Steps, data.Digest
	return spec.CheckData()
}

func differs(field string, asked, found int64) error {
	return schema.Hint(fmt.Errorf("%s is %d, but the file holds %d", field, asked, found),
		"leave %s out: it follows from the file", field)
}
