"""Options, and how an environment of Gymnasium is found and made with them."""

import ast
import contextlib
import difflib
import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
import warnings
from functools import partial

from .loop import INSTALLED, Refused, is_installed, said

# What is the adapter's; any other KEY=VALUE is an argument of gymnasium.make. True: without a value.
OWN = {"raw": True, "bits": True, "drop": True, "flatten": True, "reward": True, "bins": False, "tiles": False,
       "hash": False, "range": False, "walk": False, "walk_seed": False, "wrap": False, "actions": False}

# Packages whose environments have a name of their own, which says where they are.
FAMILIES = (("MiniGrid-", "minigrid"), ("BabyAI-", "minigrid"), ("MinAtar/", "minatar.gym"), ("ALE/", "ale_py"))

SPELLED = {"true": "True", "yes": "True", "on": "True", "false": "False", "no": "False", "off": "False"}


def parse(arguments):
    """The texts of all options."""
    options = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if key in options:
            raise Refused("%s is given twice" % key)
        if key in OWN and OWN[key] == bool(equals):
            raise Refused("%s: write %s" % (argument, key if OWN[key] else "%s=VALUE" % key))
        if key not in OWN and not equals:
            raise Refused("%s has no value: write %s=True, or what else it is to be%s" % (key, key, similar(key, OWN)))
        options[key] = value
    return options


def similar(word, words):
    close = difflib.get_close_matches(word, list(words), 3)
    return "; similar: %s" % ", ".join(close) if close else ""


# Values of arguments.

def literal(key, text, boolean):
    """The value that a text stands for: a literal of Python, or else the text. boolean tells whether
    the argument is one, None if that is not known."""
    if boolean is not False and text not in ("True", "False") and text.lower() in SPELLED:
        raise Refused("%s=%s would be a text, which counts as true: write %s=%s%s" % (
            key, text, key, SPELLED[text.lower()], "" if boolean else ", or '%s' with the quotes" % text))
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        if text[:1] in ("[", "(", "{", "'", '"'):
            raise Refused("%s=%s is no value of Python; texts within brackets stand in quotes" % (key, text))
        return text


def parameters_of(maker):
    """The parameters of what makes an environment, and whether it takes others as well."""
    found, others = {}, False
    for each in inspect.getmro(maker) if inspect.isclass(maker) else [maker]:
        function = each.__dict__.get("__init__") if inspect.isclass(each) else each
        if function is None or function is object.__init__:
            continue
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return found, True
        others = False
        for name, parameter in signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                others = True
            elif name != "self" and parameter.kind is not parameter.VAR_POSITIONAL:
                found.setdefault(name, parameter)
        if not others:
            break
    return found, others


def is_boolean(parameter):
    """Whether a parameter is true or false, None if nothing tells."""
    annotation = parameter.annotation
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    if isinstance(parameter.default, bool) or re.search(r"\bbool\b", name):
        return True
    untold = annotation is parameter.empty and (parameter.default is parameter.empty or parameter.default is None)
    return None if untold else False


def values(name, function, options, more=None, registered=None):
    """The arguments of a function that makes an environment; more is what else takes arguments, and registered
    are those that it has already."""
    given = {key: text for key, text in options.items() if key not in OWN}
    if given.get("render_mode") == "human":
        raise Refused("render_mode=human draws every step on a screen, and waits for it; leave it out")
    found, others = parameters_of(function)
    known = {**(parameters_of(more)[0] if more else {}), **found}
    known.pop("id", None)
    arguments = {}
    for key, text in given.items():
        before = (registered or {}).get(key)
        if key not in known and not others and before is None:
            raise Refused("%s has no parameter %s%s; it has %s" % (
                name, key, similar(key, list(known) + list(OWN)), ", ".join(sorted(found)) or "none"))
        boolean = True if isinstance(before, bool) else is_boolean(known[key]) if key in known else None
        arguments[key] = literal(key, text, boolean)
    if "disable_env_checker" in known:
        arguments.setdefault("disable_env_checker", True)  # it looks at one step, and costs at each
    return arguments


def maker_of(spec):
    point = spec.entry_point
    if isinstance(point, str):
        module, _, name = point.partition(":")
        point = getattr(importlib.import_module(module), name)
    return point


# Finding an environment.

def function_of(text):
    """The MODULE of MODULE:NAME and its function or class NAME, which makes an environment, or "" and None: Gymnasium
    may know what is registered. bsuite:ID is an experiment of bsuite."""
    module, _, name = text.rpartition(":")
    found = module_named(module) if module else None
    if module == "bsuite" and not hasattr(found, name):
        if name not in found.sweep.SETTINGS:
            raise Refused("bsuite has no experiment %s%s" % (name, similar(name, found.sweep.SETTINGS)))
        return module, partial(found.load_from_id, name)
    function, gymnasium = getattr(found, name, None), sys.modules.get("gymnasium")
    if module and not callable(function) and not exists("gymnasium"):
        raise Refused("%s has no %s to call%s" % (module, name, similar(name, dir(found))))
    if not callable(function) or gymnasium and lookup(gymnasium, name)[0]:
        return "", None
    return module, function


def module_named(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise Refused("%s cannot import %s (%s): install it there, or name its folder in PYTHONPATH; the current "
                      "folder is not searched" % (sys.executable, name, error))
    except Exception as error:
        raise Refused("import %s: %s" % (name, said(error)))


def load_plugins(gymnasium, name):
    """Calls what packages have installed as gymnasium.envs, as Gymnasium did before 1.0."""
    from importlib import metadata

    namespace = name.split("/")[0] if "/" in name else "__root__"
    points = metadata.entry_points()
    points = points.select(group="gymnasium.envs") if hasattr(points, "select") else points.get("gymnasium.envs", [])
    for point in points:
        if point.name == namespace:
            call_registering(gymnasium, point.load(), None if namespace == "__root__" else namespace)


def call_registering(gymnasium, function, namespace=None):
    print("podtrack: registering by %s.%s" % (function.__module__, function.__name__), file=sys.stderr)
    within = getattr(gymnasium.envs.registration, "namespace", None)
    with warnings.catch_warnings(), within(namespace) if within and namespace else contextlib.nullcontext():
        warnings.filterwarnings("ignore", ".*already in registry")  # by an import of the package, or by its plugin
        return function()


def lookup(library, name):
    """The spec of a name, or the error that there is none."""
    try:
        return library.spec(name), None
    except Exception as error:
        return None, error


def find(gymnasium, text):
    """The library that has NAME or MODULE:NAME, and its spec there. What registers it is, in this order, the import of
    MODULE, a function register_envs in it or in MODULE.gym, and a plugin. The library is Gymnasium, or Gym, which came
    before it, if MODULE has imported that."""
    module, colon, name = text.rpartition(":")
    family = next((package for start, package in FAMILIES if name.startswith(start)), None)
    spec, error = (None, None) if colon else lookup(gymnasium, name)
    for package in (module or family, "%s.gym" % module):
        if spec is not None or package in (None, ".gym") or package != (module or family) and not exists(package):
            continue
        register = getattr(module_named(package), "register_envs", None)
        spec, error = lookup(gymnasium, name)
        if spec is None and callable(register) and register is not gymnasium.register_envs:
            call_registering(gymnasium, register)
            spec, error = lookup(gymnasium, name)
    if spec is None:
        load_plugins(gymnasium, name)
        spec, error = lookup(gymnasium, name)
    if spec is None and "gym" in sys.modules:
        spec, _ = lookup(sys.modules["gym"], name)
        if spec is not None:
            return sys.modules["gym"], spec
    if spec is None:
        known = [*gymnasium.envs.registration.registry, *(dir(sys.modules[module]) if module else ())]
        raise Refused("gymnasium: %s: %s%s%s" % (
            type(error).__name__, str(error).rstrip("."), similar(name, known),
            "" if colon or family else "; for environments of another package write gym:MODULE:NAME, which imports "
            "MODULE first"))
    return gymnasium, spec


def exists(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


# Making it.

def import_gymnasium():
    try:
        import gymnasium
    except ImportError as error:
        raise Refused("%s cannot import gymnasium (%s); install it there, or name another Python in PODTRACK_PYTHON"
                      % (sys.executable, error))
    return gymnasium


def wrappers(text):
    """The functions of wrap=MODULE:FUNCTION/..., each perhaps with arguments in brackets."""
    found = []
    for part in re.split(r"/(?![^(]*\))", text):
        match = re.fullmatch(r"([\w.]+):(\w+)(\(.*\))?", part)
        if not match:
            raise Refused("wrap=%s: write MODULE:FUNCTION, or MODULE:FUNCTION(KEY=VALUE,...), several with / between"
                          % part)
        module, name, call = match.groups()
        function = getattr(module_named(module), name, None)
        if not callable(function):
            raise Refused("wrap=%s: %s has no %s to call%s" % (
                part, module, name, similar(name, dir(sys.modules[module]))))
        found.append((function, call_arguments(part, call)))
    return found


def call_arguments(part, call):
    try:
        parsed = ast.parse("f%s" % (call or "()"), mode="eval").body
        if parsed.args or any(k.arg is None for k in parsed.keywords):
            raise ValueError
        return {k.arg: ast.literal_eval(k.value) for k in parsed.keywords}
    except (ValueError, SyntaxError):
        raise Refused("wrap=%s: arguments are KEY=VALUE with values of Python" % part)


def maker(text, options):
    """The name of an environment, a function that makes it, and the module that has that, "" for one of Gymnasium."""
    try:
        module, function = function_of(text)
        if function:
            name, what, make_one = text.replace(":", "/"), text, partial(function, **values(text, function, options))
        else:
            library, spec = find(import_gymnasium(), text)
            arguments = values(spec.id, maker_of(spec), options, library.make, getattr(spec, "kwargs", None))
            name, what, make_one = spec.id, "%s.make" % library.__name__, partial(library.make, spec.id, **arguments)
    except Refused:
        raise
    except Exception as error:  # a package that the environment needs is missing, for one
        raise Refused("%s: %s" % (text, said(error)))
    layers = wrappers(options["wrap"]) if "wrap" in options else []

    def make():
        try:
            environment = make_one()
        except Exception as error:
            raise Refused("%s: %s" % (what, said(error)))
        check_made(what, environment)
        for function, given in layers:
            try:
                environment = function(environment, **given)
            except Exception as error:
                raise Refused("wrap: %s: %s" % (function.__name__, said(error)))
            check_made("wrap: " + function.__name__, environment)
        return environment

    return name, make, module


def check_made(what, environment):
    if not hasattr(environment, "step") and not hasattr(environment, "play"):
        raise Refused("%s returned no environment but %r" % (what, environment))


def package_versions(*modules):
    """The packages that modules are from, but Gymnasium, each after a comma, with their versions and their code."""
    roots = []
    for module in modules:
        root = module.split(".")[0]
        if root not in roots and root not in ("", "gymnasium", "__main__", "builtins"):
            roots.append(root)
    return "".join(", " + package_text(root, version) for root in roots for version in [version_of(root)] if version)


def package_text(root, version):
    """A package with its version, and with a digest of its files: those that a version has are what was installed
    only until somebody edits them, and of a package that is being edited the version says nothing."""
    if root not in PACKAGES:
        PACKAGES[root] = "" if root in NUMERICAL else code_digest(root)
    return " ".join(filter(None, (root, version, PACKAGES[root])))


PACKAGES = {}  # the digests of their files, which are those that were imported
NUMERICAL = ("numpy", "scipy", "jax", "jaxlib", "torch", "numba", "pandas")  # large, and edited by nobody
COMPILED = (".pyc", ".pyo", ".so", ".pyd", ".dll", ".dylib", ".a")  # other files on each platform
LOADED = (".py", ".txt", ".json", ".toml", ".yaml", ".yml", ".csv", ".xml", ".map", ".mdp", ".lvl", ".bin", ".rom")


def files_of(*classes):
    """The packages that have some classes and their bases, and the files within, with short digests: they tell what
    changed where the version differs."""
    names = {base.__module__ for each in classes for base in inspect.getmro(each)}
    names = {name for name in names if PACKAGES.get(name.split(".")[0])}
    found = {root: "%s %s" % (version_of(root), PACKAGES[root]) for root in {name.split(".")[0] for name in names}}
    for name in names:
        path = getattr(sys.modules.get(name), "__file__", None)
        if path and path.endswith(".py"):
            inside = name.replace(".", "/") + ("/__init__.py" if path.endswith("__init__.py") else ".py")
            found[inside] = digest_of_file(path, name).hex()[:10]
    return found


def code_digest(root):
    """A short digest of a package's files, "" if it has none: all that is installed, but what was compiled; of one
    that is elsewhere the code, and what levels are made of."""
    module = sys.modules.get(root)
    places = [os.path.abspath(each) for each in getattr(module, "__path__", ())]
    if not places and isinstance(getattr(module, "__file__", None), str):
        places = [os.path.abspath(module.__file__)]
    found, summed = [], hashlib.sha256()
    for place in places:
        wanted = None if any(part in place for part in INSTALLED) else LOADED
        paths = [place] if os.path.isfile(place) else files_in(place, wanted)
        found += [(os.path.relpath(path, place).replace(os.sep, "/"), path) for path in paths]
    for name, path in sorted(found):
        summed.update(b"%b\0%b" % (os.fsencode(name), digest_of_file(path, root)))
    return summed.hexdigest()[:10] if found else ""


def digest_of_file(path, root):
    summed = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            for part in iter(lambda: file.read(1 << 20), b""):
                summed.update(part)
    except OSError as error:
        raise Refused("%s, a file of the package %s, cannot be read: %s" % (path, root, error.strerror))
    return summed.digest()


def files_in(folder, endings):
    """The paths of the files below a folder, with these endings or None for all that was not compiled."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
        for name in names:
            path = os.path.join(place, name)
            wanted = not name.endswith(COMPILED) if endings is None else name.endswith(endings)
            if wanted and os.path.isfile(path):
                yield path


DATA = set()  # the paths of files that code of no package opened for reading
LARGE = 64 << 20  # bytes


def note_data(event, given):
    """An audit hook that notes which data the code of an environment reads: modules are imported by Python."""
    if event != "open" or not isinstance(given[0], str) or given[2] & (os.O_WRONLY | os.O_RDWR):
        return
    frame = sys._getframe(1)
    while frame and is_installed(frame.f_code.co_filename):
        frame = frame.f_back
    path = frame.f_code.co_filename if frame else ""
    if os.path.isfile(path) and os.path.dirname(path) != os.path.dirname(note_data.__code__.co_filename):
        DATA.add(os.path.abspath(given[0]))


def data_read():
    """Digests of these files by their names, but of caches and what the system has; of large ones the size."""
    found = {}
    for path in sorted(DATA):
        if os.path.isfile(path) and os.sep + "." not in path and not path.startswith(("/proc/", "/sys/", "/dev/")):
            size = os.path.getsize(path)
            digest = "%d bytes" % size if size > LARGE else digest_of_file(path, "environment").hex()[:10]
            found[os.path.basename(path)] = digest
    return found


def version_of(root):
    from importlib import metadata

    try:
        return metadata.version(root)
    except metadata.PackageNotFoundError:
        pass
    version = getattr(sys.modules.get(root), "__version__", "")
    if not version:
        file = re.compile(r"^%s(/.*)?\.py," % re.escape(root), re.MULTILINE)
        for each in metadata.distributions():  # packages_distributions, which parses all names, takes ten times as long
            top = each.read_text("top_level.txt")
            if root in top.split() if top else file.search(each.read_text("RECORD") or ""):
                return each.version
    return str(version)
