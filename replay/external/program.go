package external

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// DefaultTimeout is the default time limit of an answer.
const DefaultTimeout = 60 * time.Second

// Command is the command that starts an external environment.
type Command struct {
	Name    string        // of the program in errors, its path if empty
	Words   []string      // the program and its arguments
	Vars    []string      // added to the environment variables, as name=value
	Timeout time.Duration // of an answer

	input      string   // that the adapter for Gymnasium reads first, "" for other programs
	Extensions []string // that the program is offered; nil for all
}

// forRecorded returns the command that starts an environment as it was recorded: that of the adapter for Gymnasium
// passes the ranges that the environment declares as found by a walk.
func (c Command) forRecorded(env schema.Env) Command {
	if _, walked := env.Text["walk"]; c.input == "" || !walked || env.External == nil {
		return c
	}
	found := compress(map[string]any{"name": env.Name, "parameters": env.Text, "features": env.External.Features})
	if len(found) <= maxFound {
		c.Vars = append(slices.Clip(c.Vars), foundVariable+"="+found)
	}
	return c
}

// key returns a text that differs for commands that may start different programs.
func (c Command) key() string { return strings.Join(slices.Concat(c.Words, c.Vars), "\x00") }

// answers are what programs declared, each asked once by its command. They are safe for concurrent use.
type answers[T any] struct {
	mu    sync.Mutex
	byKey map[string]T
}

// get returns what the program of a command declared. It asks a program that was not asked before.
func (a *answers[T]) get(c Command, ask func() (T, error)) (declared T, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	declared, known := a.byKey[c.key()]
	if known {
		return declared, nil
	}
	if declared, err = ask(); err == nil {
		a.byKey[c.key()] = declared
	}
	return declared, err
}

// known returns what the program of a command has declared, if it was asked.
func (a *answers[T]) known(c Command) T {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.byKey[c.key()]
}

// Program is an external environment. Each command that starts it is queried for its declaration at most once. A
// Program is safe for concurrent use.
type Program struct {
	command  Command
	declared answers[declaration]
}

// NewProgram returns the program that a command starts.
func NewProgram(c Command) *Program {
	return &Program{command: c, declared: answers[declaration]{byKey: map[string]declaration{}}}
}

// QueryEnv returns the environment that the program declares.
func (p *Program) QueryEnv(ctx context.Context) (schema.Env, error) { return p.query(ctx, p.command) }

func (p *Program) query(ctx context.Context, c Command) (schema.Env, error) {
	d, err := p.declared.get(c, func() (declaration, error) { return c.declare(ctx) })
	return d.env.Clone(), err
}

// CheckEnv returns an error unless the program declares the environment of the spec.
func (p *Program) CheckEnv(ctx context.Context, spec schema.Env) error {
	env, err := p.query(ctx, p.command.forRecorded(spec))
	if err == nil {
		err = envs.CheckSameEnv(spec, env)
	}
	return err
}

// VersionOf returns the environment of a spec in the version that the program declares, or an error if the program is
// another environment.
func (p *Program) VersionOf(ctx context.Context, spec schema.Env) (schema.Env, error) {
	env, err := p.query(ctx, p.command.forRecorded(spec))
	if err == nil && !env.IsVersionOf(spec) {
		err = envs.CheckSameEnv(spec, env)
	}
	return env, err
}

// Launch starts the environment of a spec for an iteration, in its own process, which runs until
// the environment is closed. Observations are added to seen.
func (p *Program) Launch(
	ctx context.Context, env schema.Env, seen *envs.ObservedStates, seed uint64, k int,
) (envs.RunningEnv, error) {
	w, err := p.command.forRecorded(env).open(ctx, env, seen)
	if err == nil {
		w.seed = rng.ResetSeed(seed, k)
	}
	return w, err
}

// open starts a program that must declare the environment env.
func (c Command) open(ctx context.Context, env schema.Env, seen *envs.ObservedStates) (*runningEnv, error) {
	p, err := c.startAs(ctx, envs.ErrEnvFailed)
	if err != nil {
		return nil, err
	}
	declared, can, err := p.hello(ctx)
	if err != nil {
		return nil, err
	}
	if err := envs.CheckSameEnv(env, declared); err != nil {
		return nil, p.fail("", "%w", err)
	}
	return &runningEnv{process: p, observations: seen, abilities: can,
		observer: observer{declared: *env.External}}, nil
}

// describe returns the code of a program: a digest over its files, and the versions of its packages.
func (c Command) describe(name, version string, told codeAnswer) tracker.Program {
	files, packages := c.listCode(told)
	return tracker.Program{
		Name: name, Version: version, Files: provenance.DigestFiles(files), Packages: packages,
	}
}

// listCode returns the files of the command and those that the program names, and the versions of its packages. A
// program that reports digests of its own, such as one that relays another process's answers, has no other files.
func (c Command) listCode(told codeAnswer) (files []provenance.File, packages map[string]string) {
	files, packages = provenance.DescribeCommand(c.Words)
	if packages != nil { // an interpreter, which is Python or may start it
		packages[hashSeedVariable] = hashSeed()
	}
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

// maxCodeFiles limits the files that are read because a program names them.
const maxCodeFiles = 100

var _ replay.CodeLauncher = (*Program)(nil)

// Code returns the code of the program at the time when it declared env, for [replay.CodeLauncher].
func (p *Program) Code(env schema.Env) tracker.Program {
	return p.declared.known(p.command.forRecorded(env)).code
}

// Advice of this package's errors.
const (
	AdviceCrashed  = "fix the program"
	AdviceProtocol = "follow the protocol in PROTOCOL.md"
	AdviceGym      = "change the name or the options of the environment"
	AdvicePython   = "install Python with gymnasium, or name one that has it"
	AdviceReported = "fix what the program reports, or the program"
	AdviceStages   = "follow the protocol in STAGES.md"
	AdviceTimeout  = "allow more time for an answer"
)
