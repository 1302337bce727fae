package external

import (
	"bytes"
	"compress/zlib"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/podtrack/podtrack/replay/programs"
	"github.com/podtrack/podtrack/schema"
)

// adapter has the modules of the adapter for Python, which are those of the Python package podtrack.adapter.
//
//go:embed adapter/*.py
var adapter embed.FS

// isolation removes the current folder from Python's path, where -c puts it, before anything but
// built-in modules is imported.
const isolation = "import sys; sys.path[:] = [folder for folder in sys.path if folder]\n"

// Gym returns the command that starts a Gymnasium environment through the adapter, which is written to Python's
// standard input before the first request, so that no file is written and command lines are short. text is
// NAME[,KEY=VALUE…]. Nothing is imported from the current folder, unless PYTHONPATH names it.
func Gym(text, python string, timeout time.Duration) (Command, error) {
	parts, err := splitOptions(text)
	if err != nil {
		return Command{}, err
	}
	path, err := programs.Find(python)
	if err != nil {
		err = fmt.Errorf("environments of Gymnasium need Python: %w", err)
		if schema.Remedy(err) == "" {
			err = schema.Hint(err, AdvicePython)
		}
		return Command{}, err
	}
	var modules [][2]string // names and texts, each after those that it imports
	for _, name := range []string{"loop", "spaces", "interfaces", "actions", "make", "gym"} {
		text, err := adapter.ReadFile("adapter/" + name + ".py")
		if err != nil {
			panic(err) // it is embedded
		}
		modules = append(modules, [2]string{name, string(text)})
	}
	input := compress(modules)
	return Command{Name: "gym:" + parts[0],
		Words: append([]string{path, "-c", adapterScript, strconv.Itoa(len(input))}, parts...),
		Vars:  pythonVars(), Timeout: timeout, input: input}, nil
}

// foundVariable is the environment variable that passes the adapter the ranges that its walk found when the run was
// created. It then takes no walk in each process, and the ranges cannot change.
const foundVariable = "PODTRACK_GYM_FOUND"

// maxFound is the largest size of that variable in bytes that every system accepts. If it is exceeded, the adapter
// takes a walk.
const maxFound = 30_000

// adapterScript is what Python executes: it reads the adapter and the modules that it imports, compressed.
// Tracebacks name the files. The package has a name of its own, so that environments can import podtrack.
const adapterScript = isolation + `import base64, json, os, types, zlib
PACKAGE, size, text = "podtrack_adapter", int(sys.argv.pop(1)), b""
while len(text) < size:
    text += os.read(0, size - len(text)) or sys.exit(1)
sys.modules[PACKAGE] = types.ModuleType(PACKAGE)
for name, text in json.loads(zlib.decompress(base64.b64decode(text))):
    module = sys.modules[PACKAGE + "." + name] = types.ModuleType(PACKAGE + "." + name)
    module.__package__ = PACKAGE
    exec(compile(text, PACKAGE + "/" + name + ".py", "exec"), module.__dict__)
module.main()
`

// compress returns v, which has nothing but strings, as compressed JSON in base64.
func compress(v any) string {
	text, err := json.Marshal(v)
	var b bytes.Buffer
	w, _ := zlib.NewWriterLevel(&b, zlib.BestCompression) // no error: the level is valid
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // encoding strings and writing to a buffer cannot fail
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// pythonVars returns variables that keep Python, and every Python that it starts, from importing
// from the current folder. An empty entry of PYTHONPATH means that folder, too.
func pythonVars() []string {
	vars := []string{"PYTHONSAFEPATH=1"}
	if path, ok := os.LookupEnv("PYTHONPATH"); ok {
		named := slices.DeleteFunc(filepath.SplitList(path), func(folder string) bool { return folder == "" })
		vars = append(vars, "PYTHONPATH="+strings.Join(named, string(filepath.ListSeparator)))
	}
	return vars
}

// errGym is the error of a text gym:NAME that cannot be parsed.
var errGym = errors.New("cannot read the environment")

const hintGym = "write gym:NAME, followed by options after commas, as in gym:CartPole-v1,bins=8,range=walk"

// splitOptions splits the text after gym: at its commas, into a name and options. A comma within
// brackets or quotes, as in desc=["SF","FG"], belongs to an option's value.
func splitOptions(text string) (parts []string, err error) {
	ends, err := optionEnds(text)
	if err != nil {
		return nil, schema.Hint(fmt.Errorf("%w %q: %w", errGym, "gym:"+text, err), "%s; %s", hintGym,
			"values with brackets or quotes are those of Python")
	}
	begin := 0
	for i, end := range ends {
		part := text[begin:end]
		if part == "" && i > 0 {
			return nil, schema.Hint(fmt.Errorf("%w %q: nothing follows a comma", errGym, "gym:"+text), "%s", hintGym)
		}
		if key, _, _ := strings.Cut(part, "="); key == "" || i == 0 && key != part {
			return nil, schema.Hint(fmt.Errorf("%w %q", errGym, "gym:"+text), "%s", hintGym)
		}
		parts, begin = append(parts, part), end+1
	}
	return parts, nil
}

// optionEnds returns the places of commas that separate options, and the end of the text.
func optionEnds(text string) (ends []int, err error) {
	var open []byte // expected closing characters
	for i := 0; i < len(text); i++ {
		c, awaited := text[i], byte(0)
		if len(open) > 0 {
			awaited = open[len(open)-1]
		}
		quoted := awaited == '"' || awaited == '\''
		switch pair := strings.IndexByte("([{", c); {
		case c == awaited:
			open = open[:len(open)-1]
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '"' || c == '\'':
			open = append(open, c)
		case pair >= 0:
			open = append(open, ")]}"[pair])
		case strings.IndexByte(")]}", c) >= 0:
			return nil, fmt.Errorf("unmatched %q", c)
		case c == ',' && len(open) == 0:
			ends = append(ends, i)
		}
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("%q is missing at the end", open[len(open)-1])
	}
	return append(ends, len(text)), nil
}
