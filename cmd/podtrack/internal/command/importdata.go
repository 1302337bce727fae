package command

import (
	"fmt"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/importer"
	"github.com/podtrack/podtrack/replay/sweep"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// readData returns the job for an archive's data, and describes the arrays that it uses.
func readData(c *cli.Context, archive *importer.Archive) (job replay.Job, arrays string, err error) {
	var prefix *string
	if c.IsSet("prefix") {
		given := c.String("prefix")
		prefix = &given
	}
	source, err := archive.FindSource(prefix, c.String("as"))
	if err != nil {
		return job, "", err
	}
	read, arrays := importTransitions, source.Prefix+"state and "+source.Prefix+"action"
	if source.As == importer.AsDelta {
		read, arrays = importRows, source.Prefix+"delta"
	}
	spec, data, err := read(c, source)
	if err != nil {
		return job, "", err
	}
	if err := setData(c, &spec, data); err != nil {
		return job, "", err
	}
	job = replay.Job{Spec: spec, Target: 1, Data: data.Records}
	if c.IsSet("iterations") {
		if job.Target, err = runner.ParseIterations(c); err != nil {
			return job, "", err
		}
	}
	job.Name, err = sweep.ExpandName(c.String("name"), spec)
	return job, arrays, err
}

func importTransitions(c *cli.Context, source importer.Source) (spec schema.Spec, data importer.Data, err error) {
	if spec, _, err = runner.ParseSpec(c); err != nil {
		return spec, data, err
	}
	env, err := replay.NewEnv(spec)
	if err != nil {
		return spec, data, err
	}
	if !pod.HasActions(env) {
		return spec, data, schema.Hint(fmt.Errorf("transitions in environment %q, which has no states", spec.Env.Name),
			"name the environment that they were recorded in, or take a plain D with --as %s", importer.AsDelta)
	}
	steps, ok := pod.As[pod.SteppableEnv](env)
	if !ok {
		return spec, data, schema.Hint(fmt.Errorf("transitions in environment %q, which another process runs",
			spec.Env.Name),
			"import takes transitions of environments without chance and without episodes")
	}
	data, err = source.ReadTransitions(c.Context, steps)
	return spec, data, err
}

// importRows reads a delta matrix D alone. Its number of features is that of the environment.
func importRows(c *cli.Context, source importer.Source) (spec schema.Spec, data importer.Data, err error) {
	if !c.IsSet("env") && c.String("spec") == "" {
		if err := c.Set("env", pod.RowsName); err != nil {
			return spec, data, err
		}
	}
	if spec, _, err = runner.ParseSpec(c); err != nil {
		return spec, data, err
	}
	if spec.Env.Name != pod.RowsName {
		return spec, data, schema.Hint(fmt.Errorf("a plain D in environment %q", spec.Env.Name),
			"a D says no states: leave the environment out, or import arrays state and action")
	}
	if data, err = source.ReadRows(c.Context); err != nil {
		return spec, data, err
	}
	asked := spec.Env.Params[pod.FeaturesParameter]
	if fixed := c.IsSet(pod.FeaturesParameter) || !spec.Data.IsZero(); fixed && asked != int64(data.Dims) {
		return spec, data, differs(pod.FeaturesParameter, asked, int64(data.Dims))
	}
	return spec, data, spec.Set(pod.FeaturesParameter, strconv.Itoa(data.Dims))
}

// setData adds the data to the spec. It fails if the spec already states otherwise.
func setData(c *cli.Context, spec *schema.Spec, data importer.Data) error {
	if fixed := c.IsSet("steps") || !spec.Data.IsZero(); fixed && spec.Steps != data.Steps {
		return differs("steps", spec.Steps, data.Steps)
	}
	if !spec.Data.IsZero() && spec.Data != data.Digest {
		return schema.Hint(fmt.Errorf("the spec names the data %.12s, and the file holds %.12s: %w", spec.Data, data.Digest,
			cmdline.ErrDifference),
			"find the file that the spec was made of, or take the data out of the spec")
	}
	spec.Steps, spec.Data = data.Steps, data.Digest
	return spec.Validate()
}

func differs(field string, asked, found int64) error {
	return schema.Hint(fmt.Errorf("%s %d are asked for, and the file holds %d", field, asked, found),
		"leave --%s out: the file says it", field)
}
