package runner

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// StudyFlags returns the flags that take the spec from a study of the store.
func (f *Flags) StudyFlags() []cli.Flag {
	return []cli.Flag{
		cmdline.Flag(&f.study, "study", "make runs of the study `NAME`: spec, seeds and iterations are its own"),
		cmdline.Flag(&f.variant, "variant", "with --study: the variant `NAME`"),
		cmdline.Flag(&f.setting, "setting", "with --study: the setting `NAME`, which may be left out if there is one"),
	}
}

// readStudy returns the plan of the study that --study names, nil without one, and keeps the spec of the place that
// --variant and --setting choose.
func (f *Flags) readStudy(c *cli.Context) (plan *runset.Plan, err error) {
	switch {
	case f.study == "" && f.variant+f.setting == "":
		return nil, nil
	case f.study == "":
		return nil, schema.Hint(errors.New("--variant and --setting without --study"), "--study NAME says of which study")
	case f.Iterations != nil:
		return nil, schema.Hint(errors.New("--study together with --iterations"),
			"the study has a number of iterations; podtrack resume RUN --iterations N continues a run beyond it")
	case f.spec != "":
		return nil, schema.Hint(errors.New("--study together with --spec"), "the study has the spec: leave one of them out")
	}
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		plan, _, err = tx.ReadStudy(f.study)
		return err
	})
	if errors.Is(err, tracker.ErrNoStore) {
		err = schema.Hint(err, "podtrack sweep with the study's file makes the store, the study and its runs")
	}
	if err != nil {
		return nil, err
	}
	s := plan.Study
	cell := runset.Cell{}
	if cell.Variant, err = choosePlace("variant", f.variant, s.VariantNames()); err != nil {
		return nil, err
	}
	if cell.Setting, err = choosePlace("setting", f.setting, s.SettingNames()); err != nil {
		return nil, err
	}
	for i, of := range s.Cells {
		if of == cell {
			f.place = &plan.Specs[i]
			return plan, nil
		}
	}
	return nil, schema.Hint(fmt.Errorf("study %q has no variant %q in setting %q", f.study, f.variant, f.setting),
		"add it to the study's file, and podtrack sweep FILE makes it")
}

// choosePlace returns the index of a setting or a variant by its name, which may be empty if there is one.
func choosePlace(kind, name string, known []string) (int, error) {
	for i, k := range known {
		if k == name || name == "" && len(known) == 1 {
			return i, nil
		}
	}
	err := fmt.Errorf("no %s %q", kind, name)
	if name == "" {
		err = fmt.Errorf("--study without --%s", kind)
	}
	return 0, schema.Hint(err, schema.AdviceChoose, schema.Choice{Word: name, Kind: kind + "s", Known: known})
}

// checkPlace returns an error if a run with this spec and these seeds is not in the study.
func (f *Flags) checkPlace(plan *runset.Plan, spec schema.Spec, seeds runset.Seeds) error {
	own, err := f.place.Family()
	if err != nil {
		return err
	}
	family, err := spec.Family()
	if err != nil {
		return err
	}
	if family != own {
		return schema.Hint(fmt.Errorf("other flags change the spec of variant %q in study %q", f.variant, f.study),
			"leave them out, or add a variant with these fields to the study's file")
	}
	for seed := range seeds.All() {
		if !plan.Seeds.Contains(seed) {
			return schema.Hint(fmt.Errorf("seed %d is not in study %q", seed, f.study),
				"its seeds are %s; the study's file may get more", plan.Seeds)
		}
	}
	return nil
}
