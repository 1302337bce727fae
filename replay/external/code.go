package external

import (
	"maps"
	"slices"

	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// describeCode returns the code of the program that declared env.
func (c Command) describeCode(env schema.Env, told codeAnswer) tracker.Program {
	return c.describe(env.Name, env.External.Version, told)
}

// describe returns the code of a program: a digest over its files, and the versions of its packages.
func (c Command) describe(name, version string, told codeAnswer) tracker.Program {
	files, packages := c.listCode(told)
	return tracker.Program{
		Name: name, Version: version, Files: provenance.DigestFiles(files), Packages: packages,
	}
}

// listCode returns the files of the command and those that the program tells, and the versions of its packages. A
// program that tells digests of its own, such as one that passes on what another process answers, has no other files.
func (c Command) listCode(told codeAnswer) (files []provenance.File, packages map[string]string) {
	files, packages = provenance.DescribeCommand(c.Words)
	if told.Digests != nil {
		files, packages = nil, nil
	}
	for _, path := range told.Files[:min(len(told.Files), maxCodeFiles)] {
		files = provenance.AddFile(files, path)
	}
	for _, name := range slices.Sorted(maps.Keys(told.Digests)) {
		if d, err := schema.ParseDigest(told.Digests[name]); err == nil && len(files) < maxCodeFiles {
			files = append(files, provenance.File{Path: name, Digest: d})
		}
	}
	if packages == nil {
		packages = map[string]string{}
	}
	maps.Copy(packages, told.Packages)
	return files, packages
}

// Code returns the code of the programs of declared stages, a program for each, as package replay's CodeStageLauncher
// has it.
func (x *StagePrograms) Code(declared *schema.Stages) (programs []tracker.Program) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, stage := range schema.ExternalStages() {
		c, ok := x.commands[stage]
		if p := declared.Of(stage); p != nil && ok {
			programs = append(programs, c.describe(p.Name, p.Version, x.told[c.key()]))
		}
	}
	return programs
}

// maxCodeFiles limits the files that are read because a program names them.
const maxCodeFiles = 100

// Code returns the code of the program as it was when it declared env, as [replay.CodeLauncher] has it.
func (p *Program) Code(env schema.Env) tracker.Program {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.declared[p.command.forRecorded(env).key()].code
}
