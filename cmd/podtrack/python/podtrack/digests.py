"""A digest of everything that decides how an object behaves, or a refusal: what is not known is never taken for equal.

The digest covers what code can reach: the code of functions, methods and base classes with their defaults, closures and
the globals that they name; what instances hold; the versions of installed packages in place of their code. Addresses,
names of classes and comments are in none of it, so that every process finds the same digest."""

from __future__ import annotations

import builtins
import copyreg
import dis
import enum
import functools
import hashlib
import importlib
import importlib.util
import logging
import os
import random
import sys
import sysconfig
import threading
import types
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .adapter import make
from .errors import UsageError

LITERALS: tuple[type[Any], ...] = (bool, int, float, complex, str, bytes, bytearray, type(None), type(Ellipsis),
                                   type(NotImplemented))
DIGITS = 16
"""Of a digest that is part of a version."""

SEEDED: tuple[type[Any], ...] = (random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator,
                                 np.random.SeedSequence)
"""Random numbers, which reset(seed) makes anew."""

NEUTRAL: tuple[type[Any], ...] = (logging.Logger, logging.LoggerAdapter, type(threading.Lock()),
                                  type(threading.RLock()), threading.Event, threading.Condition)
"""What decides nothing."""

KEPT_BY_GYMNASIUM = {"_np_random", "_np_random_seed", "_cached_spec", "_has_reset", "checked_reset", "checked_step",
                     "checked_render", "close_called", "episode_count", "episode_start_time", "time_queue",
                     "return_queue", "length_queue"}
"""What Gymnasium's classes note while they are used."""

OF_MODULES = {*vars(types.ModuleType("")), "__builtins__", "__cached__", "__file__", "__path__"}
"""What Python gives a module."""

OF_CLASSES = {"__module__", "__doc__", "__dict__", "__weakref__", "__annotations__", "__annotate__",
              "__annotate_func__", "__annotations_cache__", "__qualname__", "__firstlineno__", "__static_attributes__",
              "__orig_bases__", "__parameters__", "__dataclass_fields__", "__dataclass_params__", "__slotnames__",
              "_abc_impl"}
"""What a class has that decides nothing, or follows from the rest."""

DYNAMIC = {"getattr", "globals", "vars", "eval", "exec", "__import__", "import_module", "__dict__", "attrgetter"}
"""Names by which code reaches what it does not name."""

CONTAINERS: tuple[type[Any], ...] = (list, dict, set, frozenset, tuple)

C_FUNCTIONS = (types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodWrapperType,
               types.MethodDescriptorType, types.ClassMethodDescriptorType, types.GetSetDescriptorType)


class Unknown(UsageError):
    """Something that cannot be digested."""


def digest(reached: Mapping[str, Any], parameters: Mapping[str, Any] | None = None, declared: bool = False,
           lenient: bool = False) -> Digest:
    """Returns the digest of all that values reach, which have names, with which places in errors begin. Parameters
    stand for what has their names, such as attributes, closures and globals. If it is declared, a version stands for
    the code, and for what cannot be digested; if it is lenient, that is left out."""
    made = Digest(parameters or {}, declared, lenient)
    try:
        for name, value in reached.items():
            made.visit(value, name)
    except RecursionError:
        if declared or lenient:
            return Digest({}, declared, lenient)
        raise Unknown("%s: it is nested too deeply to be digested" % ", ".join(reached), remedy_for("")) from None
    return made


def remedy_for(attribute: str) -> str:
    what = "parameters={%r: TEXT} for it, or " % attribute if attribute.isidentifier() else ""
    return "give %sversion=TEXT, and change that whenever it behaves differently" % what


class Digest:
    """Visits what values reach, each object once.

    Attributes
    ----------
    has_data
        Whether there is anything but code.
    has_code
        Whether there is code that is in no package of a known version.
    """

    def __init__(self, parameters: Mapping[str, Any], declared: bool, lenient: bool) -> None:
        self.parameters, self.declared, self.lenient = parameters, declared, lenient
        self.has_data = self.has_code = False
        self._hash = hashlib.sha256()
        self._numbers: dict[Any, int] = {}  # of what was visited, by its address
        self._alive: list[Any] = []  # so that no address is used twice

    @property
    def text(self) -> str:
        """The digest, short."""
        return self.hex[:DIGITS]

    @property
    def hex(self) -> str:
        """The digest."""
        return self._hash.hexdigest()

    def visit(self, value: Any, place: str) -> None:
        """Adds a value, and what it reaches."""
        kind = type(value)
        if kind in LITERALS:
            self._data(kind.__name__, value.hex() if kind is float else hex(value) if kind is int else repr(value))
        elif kind is tuple:
            self._items(kind, value, place)
        elif isinstance(value, (np.dtype, np.generic, np.ndarray)) and kind.__module__.partition(".")[0] == "numpy":
            self._numpy(value, place)
        elif is_found_by_name(value):
            self._known(value)
            if isinstance(value, type):
                self._once(value, place, self._patched)
        elif isinstance(value, types.ModuleType):
            self._module(value, place, None)
        else:
            visit = next((visit for kinds, visit in self._visitors() if isinstance(value, kinds)), self._instance)
            self._once(value, place, visit)

    def _visitors(self) -> Iterable[tuple[Any, Callable[[Any, str], None]]]:
        return ((type, self._class), (types.FunctionType, self._function), (types.MethodType, self._method),
                (C_FUNCTIONS, self._c_function), ((staticmethod, classmethod), self._wrapped),
                (property, self._property), (functools.partial, self._partial),
                (functools._lru_cache_wrapper, self._cached), (enum.Enum, self._member), (weakref.ref, self._reference))

    def _put(self, *words: str) -> None:
        for word in words:
            encoded = word.encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(encoded) + encoded)

    def _data(self, *words: str) -> None:
        self.has_data = True
        self._put(*words)

    def _known(self, value: Any) -> None:
        self._put("known", "%s.%s" % (value.__module__, value.__qualname__))
        self._package(value.__module__)

    def _package(self, module: str) -> None:
        if not self.declared:
            self._put(package_of(module))

    def _once(self, value: Any, place: str, visit: Callable[[Any, str], None]) -> None:
        """Visits an object, or tells which one it is if it was visited."""
        if self._is_new(id(value)):
            self._alive.append(value)
            visit(value, place)

    def _is_new(self, key: Any) -> bool:
        if key in self._numbers:
            self._put("again", str(self._numbers[key]))
            return False
        self._numbers[key] = len(self._numbers)
        return True

    def _named(self, names: Mapping[str, Any], place: str, how: str = "", leave_out: Iterable[str] = ()) -> None:
        """Visits what has names, in the order of these; a parameter stands for what has its name."""
        for name in sorted(names, key=str):
            if name in leave_out:
                continue
            self._put("name", str(name))
            if name in self.parameters:
                self._data("given")
            else:
                self.visit(names[name], "%s.%s%s" % (place, how, name))

    def _items(self, kind: type[Any], values: Any, place: str) -> None:
        self._data(kind.__name__, str(len(values)))
        if kind in (set, frozenset):
            self._put(*sorted(self._apart(value, place) for value in values))  # which each process has in another order
        elif kind is dict:
            for i, (key, value) in enumerate(values.items()):
                self.visit(key, "%s key %d" % (place, i))
                self.visit(value, "%s[%.40r]" % (place, key))
        else:
            for i, value in enumerate(values):
                self.visit(value, "%s[%d]" % (place, i))

    def _apart(self, value: Any, place: str) -> str:
        """Returns the digest of a member of a set, whatever the others are."""
        other = Digest(self.parameters, self.declared, self.lenient)
        other._numbers, other._alive = dict(self._numbers), self._alive
        other.visit(value, place + "{}")
        self.has_code |= other.has_code
        return other.hex

    def _numpy(self, value: Any, place: str) -> None:
        dtype = value if isinstance(value, np.dtype) else value.dtype
        self._data("dtype", dtype.str, repr(dtype.descr) if dtype.names else "")
        if isinstance(value, np.dtype):
            return
        self._put(repr(value.shape))
        if dtype.hasobject:
            self.visit(np.asarray(value).ravel().tolist(), place)
        else:
            self._hash.update(hashlib.sha256(np.asarray(value).tobytes()).digest())
        if isinstance(value, np.ndarray) and type(value) is not np.ndarray:  # such as a masked array
            self._named({"class": type(value), **attributes_of(value)}, place)

    # Code.

    def _function(self, function: types.FunctionType, place: str) -> None:
        self.has_code = True
        code = function.__code__
        self._put("function")
        if function.__defaults__ is not None:
            self._named({"defaults": function.__defaults__}, place)
        self._named(function.__kwdefaults__ or {}, place)
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            self._named(contents_of(name, cell), place, "closure ")
        self._named(function.__dict__, place)
        if not self.declared:
            self._put("python %d.%d" % sys.version_info[:2])
            self._code(code, place)
            self._globals(function, place)

    def _code(self, code: types.CodeType, place: str) -> None:
        self._put("code", code.co_code.hex(), getattr(code, "co_exceptiontable", b"").hex(),
                  repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags,
                        code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)))
        for const in code.co_consts:
            if isinstance(const, types.CodeType):
                self._code(const, place)
            else:
                self.visit(const, place)

    def _globals(self, function: types.FunctionType, place: str) -> None:
        """Visits the globals that a function names, and what it imports."""
        names, given = names_of(function.__code__), function.__globals__
        for name in sorted(given if names.globals & {"globals", "eval", "exec"} else names.globals):
            if name in OF_MODULES:
                continue
            if name in given:
                self._member_of_module(name, given[name], place, names.all, "global ")
            elif hasattr(builtins, name):
                self._named({name: getattr(builtins, name)}, place, "builtin ")
        for name in sorted(names.imports):
            try:
                full = importlib.util.resolve_name(name, given.get("__package__") or "")
                imported = [importlib.import_module(full), sys.modules[full.partition(".")[0]]]
            except Exception:  # it fails when it is executed, too
                self._put("no module", name)
                continue
            for module in imported:
                self._member_of_module(name, module, place, names.all, "import ")

    def _member_of_module(self, name: str, value: Any, place: str, names: frozenset[str] | None, how: str = "") -> None:
        if isinstance(value, types.ModuleType) and name not in self.parameters:
            self._put("name", name)
            self._module(value, "%s.%s%s" % (place, how, name), names)
        else:
            self._named({name: value}, place, how)

    def _module(self, module: types.ModuleType, place: str, names: frozenset[str] | None) -> None:
        """Visits what has these names in a module, or all of it."""
        if self.declared or package_of(module.__name__):
            self._put("module", module.__name__)
            return self._package(module.__name__)
        if names is not None and names & DYNAMIC:
            names = None
        if not self._is_new((id(module), names)):
            return
        self._alive.append(module)
        self.has_code = True
        for name, value in sorted(vars(module).items()):
            if name not in OF_MODULES and (names is None or name in names):
                self._member_of_module(name, value, place, names)

    def _class(self, kind: type[Any], place: str) -> None:
        if self.declared:
            return self._put("class")
        if is_in_c(kind):
            return self._known(kind)
        self.has_code = True
        self._put("class")
        self._named({str(i): base for i, base in enumerate(kind.__bases__) if base is not object}, place, "base ")
        if type(kind) is not type:
            self._named({"metaclass": type(kind)}, place)
        own = {name: value for name, value in vars(kind).items()
               if name not in OF_CLASSES and not isinstance(value, types.MemberDescriptorType)}
        if issubclass(kind, enum.Enum):
            own = {name: value for name, value in own.items()
                   if isinstance(value, (types.FunctionType, staticmethod, classmethod)) or type(value) is property}
            own["members"] = tuple((member.name, member.value) for member in kind)
        self._named(own, place)

    def _patched(self, kind: type[Any], place: str) -> None:
        """Visits the functions that a class of a package has from elsewhere."""
        if not self.declared:
            self._named({name: value for name, value in vars(kind).items() if isinstance(value, types.FunctionType)
                         and not package_of(value.__module__ or "")}, place)
            for base in kind.__mro__[1:]:
                self.visit(base, place)

    def _method(self, method: types.MethodType, place: str) -> None:
        self._named({"__func__": method.__func__, "__self__": method.__self__}, place)

    def _c_function(self, function: Any, place: str) -> None:
        owner = getattr(function, "__objclass__", None) or getattr(function, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            self._put("of", function.__name__)
            self.visit(owner, place)
        elif package_of(str(getattr(function, "__module__", None) or getattr(owner, "__name__", ""))):
            self._known(function)
        else:
            self._refuse(function, place)

    def _wrapped(self, method: Any, place: str) -> None:
        self._put(type(method).__name__)
        self.visit(method.__func__, place)

    def _property(self, value: property, place: str) -> None:
        self._put("property")
        parts = {"fget": value.fget, "fset": value.fset, "fdel": value.fdel}
        self._named({name: part for name, part in parts.items() if part is not None}, place)

    def _partial(self, value: functools.partial[Any], place: str) -> None:
        self._put("partial")
        self._named({"func": value.func, "args": value.args}, place)
        self._named(value.keywords, place)

    def _cached(self, value: Any, place: str) -> None:
        self._put("cached")
        self.visit(value.__wrapped__, place)

    def _member(self, value: enum.Enum, place: str) -> None:
        self._data("member", value.name or "", repr(value.value) if isinstance(value, enum.Flag) else "")
        self.visit(type(value), place)

    def _reference(self, value: Any, place: str) -> None:
        self._put("reference")
        self.visit(value(), place)

    # Instances.

    def _instance(self, value: Any, place: str) -> None:
        kind = type(value)
        if kind in CONTAINERS:
            return self._items(kind, value, place)
        if isinstance(value, types.MappingProxyType):
            return self._items(dict, dict(value), place)
        self._put("instance")
        self._named({"class": kind}, place)
        if isinstance(value, NEUTRAL) or isinstance(value, SEEDED) and is_known(kind):
            return
        base = next((each for each in (*CONTAINERS, *LITERALS) if isinstance(value, each)), None)
        if base is None:
            self._reduced(value, place)
        elif base in CONTAINERS:
            self._items(base, dict(dict.items(value)) if base is dict else list(base.__iter__(value)), place)
        else:
            self.visit(base.__getnewargs__(value)[0] if base is not bytearray else bytes(value), place)
        noted = {"gauss_next"} if isinstance(value, random.Random) else set()
        if any(each.__module__.partition(".")[0] == "gymnasium" for each in kind.__mro__):
            noted = KEPT_BY_GYMNASIUM
        self._named(attributes_of(value), place, leave_out=noted)

    def _reduced(self, value: Any, place: str) -> None:
        """Visits the state of an object that is not in its attributes, as pickling has it."""
        kind = type(value)
        reduce = copyreg.dispatch_table.get(kind)
        definer = next(each for each in kind.__mro__ if "__reduce__" in vars(each) or "__reduce_ex__" in vars(each))
        try:
            if reduce is not None:
                reduced = reduce(value)
            elif definer is not object and is_known(definer):
                reduced = value.__reduce_ex__(2)
            else:
                object.__reduce_ex__(value, 2)  # fails if there is state of C
                return
        except Exception as error:
            if definer is object or is_known(definer):
                if "cannot pickle" in str(error) or definer is not object:
                    self._refuse(value, place)
            return  # a method of its own failed, and its attributes are its state
        if isinstance(reduced, str):  # the name under which it is found
            if getattr(sys.modules.get(kind.__module__), reduced, None) is not value:
                self._refuse(value, place)
            return self._data("reduced", reduced)
        for part, name in zip(reduced, ("by", "arguments", "state", "items", "pairs")):
            given: Any = part
            if name in ("items", "pairs") and given is not None:
                given = list(given)
            self.visit(given, "%s %s" % (place, name))

    def _refuse(self, value: Any, place: str) -> None:
        """Refuses a value, unless a version stands for it."""
        if self.declared or self.lenient:
            return self._put("unknown")
        kind = type(value)
        raise Unknown("%s is of %s.%s: nothing tells it from another one" % (place, kind.__module__, kind.__qualname__),
                      remedy_for(place.rpartition(".")[2].rpartition(" ")[2].partition("[")[0]))


def is_found_by_name(value: Any) -> bool:
    """Reports whether a function or class is what a package of a known version has under its name."""
    if not callable(value):
        return False
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or not package_of(module):
        return False
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is value


def is_in_c(kind: type[Any]) -> bool:
    """Reports whether a class is one of C, which a package of a known version keeps for itself."""
    return bool(package_of(kind.__module__)) and "<locals>" not in kind.__qualname__ and not any(
        isinstance(value, types.FunctionType) for value in vars(kind).values())


def is_known(kind: type[Any]) -> bool:
    return is_found_by_name(kind) or is_in_c(kind)


PACKAGES: dict[str, str] = {}
"""The result of package_of, by the first part of a module's name."""


def package_of(module: str) -> str:
    """Returns the package of a module with its version, "" if it has none: what is installed, Python's own, and this
    one."""
    root = module.partition(".")[0]
    if root not in PACKAGES:
        if root not in sys.modules:
            return ""
        PACKAGES[root] = find_package(root)
    return PACKAGES[root]


def find_package(root: str) -> str:
    if root == "podtrack":
        return "podtrack"
    module = sys.modules[root]
    python = "python %d.%d" % sys.version_info[:2]
    path = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if path is None:
        return python if root in sys.builtin_module_names or root in sys.stdlib_module_names else ""
    path = os.path.abspath(path)
    installed = any(os.sep + name + os.sep in path for name in ("site-packages", "dist-packages"))
    if root == "__main__":
        return ""
    if root == "gymnasium":
        return "gymnasium " + str(getattr(module, "__version__", ""))
    if not installed and any(path.startswith(sysconfig.get_path(name) + os.sep) for name in ("stdlib", "platstdlib")):
        return python
    version = make.version_of(root) if installed or was_installed(root, path) else ""
    return "%s %s" % (root, version) if version else ""


def was_installed(root: str, path: str) -> bool:
    """Reports whether a package was installed where it is. The version of one that is being edited says nothing."""
    folder = os.path.dirname(os.path.dirname(path) if os.path.basename(path).startswith("__init__.") else path)
    beside = [name.lower() for name in os.listdir(folder)]
    return any(name.startswith(root.lower() + "-") and name.endswith(".dist-info") for name in beside)


def contents_of(name: str, cell: types.CellType) -> dict[str, Any]:
    """Returns what a closure has under a name, nothing before something was assigned to it."""
    try:
        return {name: cell.cell_contents}
    except ValueError:
        return {}


class Names:
    """The names that a code has: globals, modules that it imports, and all, attributes included."""

    def __init__(self) -> None:
        self.globals: set[str] = set()
        self.imports: set[str] = set()
        self.all: frozenset[str] = frozenset()


@functools.lru_cache(None)
def names_of(code: types.CodeType) -> Names:
    """Returns the names of a code, and of those within it."""
    found = Names()
    names, consts = set(code.co_names), [0, 0]
    for each in dis.get_instructions(code):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found.globals.add(each.argval)
        elif each.opname == "IMPORT_NAME":
            found.imports.add("." * consts[-2] + each.argval)
        elif each.opname in ("LOAD_CONST", "LOAD_SMALL_INT"):
            consts = [consts[-1], each.argval if isinstance(each.argval, int) else 0]
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            inner = names_of(const)
            found.globals |= inner.globals
            found.imports |= inner.imports
            names |= inner.all
    found.all = frozenset(names)
    return found


def attributes_of(value: Any) -> dict[str, Any]:
    """Returns what an object holds in its __dict__ and in slots."""
    found: dict[str, Any] = {}
    for kind in type(value).__mro__:
        for name, slot in vars(kind).items():
            if isinstance(slot, types.MemberDescriptorType) and not (name.startswith("__") and name.endswith("__")):
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:
                    continue
    try:
        found.update(object.__getattribute__(value, "__dict__"))
    except AttributeError:
        pass
    return found
