package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/remedies"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// ParseEnv reads the value of --env: an environment's name, grid:MAP with a built-in
// map or a map file, or a program, which it asks and which it returns as the launcher, nil
// for others. spec is the environment that the result replaces.
func (f *Flags) ParseEnv(c *cli.Context, text string, spec schema.Env) (schema.Env, replay.EnvLauncher, error) {
	if IsExternal(text) {
		return f.askExternal(c, text, spec)
	}
	env, err := parseBuiltinEnv(c.Context, text)
	return env, nil, err
}

func parseBuiltinEnv(ctx context.Context, text string) (schema.Env, error) {
	name, detail, has := strings.Cut(text, ":")
	env, err := pod.DefaultEnv(name)
	if err != nil || !has {
		return env, err
	}
	if _, ok := env.Text[pod.MapParameter]; !ok {
		return env, schema.Hint(fmt.Errorf("%w: environment %q", schema.ErrSpec, text),
			"only a grid takes a map, as in grid:four-rooms")
	}
	env.Text[pod.MapParameter], err = parseMap(ctx, detail)
	return env, err
}

// parseMap returns the map that a name or a file stands for. The spec gets the contents
// of the file, not its path.
func parseMap(ctx context.Context, text string) (string, error) {
	if slices.Contains(pod.MapNames(), text) {
		return text, nil
	}
	data, err := cmdline.ReadText(ctx, text, 4*pod.MaxCells)
	if err != nil {
		what := fmt.Sprintf("the maps are %v; anything else is the path of a map file", pod.MapNames())
		return "", schema.Hint(fmt.Errorf("map %q: %w", text, err), "%s", cmp.Or(remedies.Of(err), what))
	}
	m, err := pod.ReadMap(data)
	if err != nil {
		return "", fmt.Errorf("%s: %w", text, err)
	}
	return m.String(), nil
}
