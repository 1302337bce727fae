package external

import (
	"maps"
	"slices"

	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// describeCode returns the code of the program that declared env: the files of its command and those that it names,
// with their digests, and the versions of its packages.
func (c Command) describeCode(env schema.Env, told codeAnswer) tracker.Program {
	files, packages := provenance.DescribeCommand(c.Words)
	for _, path := range told.Files[:min(len(told.Files), maxCodeFiles)] {
		files = provenance.AddFile(files, path)
	}
	return tracker.Program{Name: env.Name, Version: env.External.Version, Files: append(files, told.digests()...),
		Packages: merge(packages, told.Packages)}
}

// Code returns the code of the programs of declared stages, a program for each, as package replay's CodeStageLauncher
// has it.
func (x *StagePrograms) Code(declared *schema.Stages) (programs []tracker.Program) {
	for _, stage := range schema.ExternalStages() {
		c, ok := x.commands[stage]
		if p := declared.Of(stage); p != nil && ok {
			files, packages := provenance.DescribeCommand(c.Words)
			programs = append(programs, tracker.Program{
				Name: p.Name, Version: p.Version, Files: append(files, x.toldOf(c)...), Packages: packages,
			})
		}
	}
	return programs
}

// toldOf returns what the program of a command hashed itself.
func (x *StagePrograms) toldOf(c Command) []tracker.CodeFile {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.told[c.key()].digests()
}

// digests returns what the program hashed itself, as files.
func (a codeAnswer) digests() (files []tracker.CodeFile) {
	for _, name := range slices.Sorted(maps.Keys(a.Digests)) {
		if d, err := schema.ParseDigest(a.Digests[name]); err == nil && len(files) < maxCodeFiles {
			files = append(files, tracker.CodeFile{Path: name, Digest: d})
		}
	}
	return files
}

func merge(a, b map[string]string) map[string]string {
	if a == nil {
		return b
	}
	maps.Copy(a, b)
	return a
}

// maxCodeFiles limits the files that are read because a program names them.
const maxCodeFiles = 100

// Code returns the code of the program as it was when it declared env, as [replay.CodeLauncher] has it.
func (p *Program) Code(env schema.Env) tracker.Program {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.declared[p.command.forRecorded(env).key()].code
}
