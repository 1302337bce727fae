"""A digest of everything that decides how an object behaves, or a refusal: what is not known is never taken for equal.

The digest covers what code can reach: the code of functions, methods and base classes with their defaults, closures and
the globals that they name; what instances hold; the versions of installed packages in place of their code. Addresses,
names of classes and comments are in none of it, so that every process finds the same digest."""

from __future__ import annotations

import abc
import builtins
import collections
import copyreg
import dis
import enum
import functools
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import logging
import os
import random
import struct
import sys
import sysconfig
import threading
import types
import typing
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

SEEDED: tuple[type[Any], ...] = (np.random.Generator, np.random.RandomState, np.random.BitGenerator,
                                 np.random.SeedSequence)
"""Random numbers of NumPy, whose pickles differ between its versions."""

NEUTRAL: tuple[type[Any], ...] = (logging.Logger, logging.LoggerAdapter, random.SystemRandom, typing.TypeVar,
                                  typing.ParamSpec, typing.TypeVarTuple)
"""What decides nothing, or has no state."""

OF_PROCESS = {id(each) for each in (
    random.random.__self__, np.random.rand.__self__, os.environ)}  # type: ignore[attr-defined]
"""What each process has in a state of its own: generators that all share, and the environment variables, of which
those count that code names."""

ENVIRONMENT = {"environ", "environb", "getenv", "getenvb"}
"""Names by which code reaches environment variables."""

MOST_COMPARED = 100
"""Arrays of one memory that are compared with each other; more are taken to share it."""

RESOURCES = {"threading.Thread", "subprocess.Popen", "multiprocessing.process.BaseProcess",
             "multiprocessing.connection._ConnectionBase", "ctypes.CDLL"}
"""Classes whose objects stand for something outside of Python."""

LOCK, EVENT = type(threading.Lock()), threading.Event
"""What is digested as whether it is locked or set."""

RLOCK = type(threading.RLock())

KEPT_BY_GYMNASIUM = {
    "Space": {"_np_random"}, "Wrapper": {"_cached_spec"}, "OrderEnforcing": {"_has_reset"},
    "PassiveEnvChecker": {"checked_reset", "checked_step", "checked_render", "close_called", "checked_data_reuse",
                          "_previous_data"},
    "RecordEpisodeStatistics": {"episode_count", "episode_start_time", "time_queue", "return_queue", "length_queue"}}
"""What classes of Gymnasium note in their objects while these are used."""

OF_MODULES = {*vars(types.ModuleType("")), "__builtins__", "__cached__", "__file__", "__path__"}
"""What Python gives a module."""

OF_CLASSES = {"__module__", "__doc__", "__dict__", "__weakref__", "__annotations__", "__annotate__",
              "__annotate_func__", "__annotations_cache__", "__qualname__", "__firstlineno__", "__static_attributes__",
              "__orig_bases__", "__parameters__", "__dataclass_fields__", "__dataclass_params__", "__slotnames__",
              "_abc_impl"}
"""What a class has that decides nothing, or follows from the rest."""

HOOKS_OF_ALL = {"__reduce__", "__reduce_ex__"}
HOOKS = HOOKS_OF_ALL | {"__getstate__", "__getnewargs__", "__getnewargs_ex__"}
"""Methods by which pickling asks for an object's state, for all of it and for a part."""

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
        self._held: set[tuple[str, frozenset[str]]] = set()  # modules that were imported, with names in them
        self._arrays: dict[int, tuple[int, dict[int, tuple[int, Any]]]] = {}  # by whose memory they have, and their own
        self._before: Digest | None = None  # that has visited what this one visits a part of
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
        if kind in LITERALS and kind is not bytearray:
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
                (functools._lru_cache_wrapper, self._cached), (enum.Enum, self._member), (weakref.ref, self._reference),
                (SEEDED, self._random))

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
        visitor, count = self, 0
        while True:
            if key in visitor._numbers:
                self._put("again", str(visitor._numbers[key]))
                return False
            count += len(visitor._numbers)
            if visitor._before is None:
                break
            visitor = visitor._before
        self._numbers[key] = count
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
        other._before, other._alive = self, self._alive
        other.visit(value, place + "{}")
        self.has_code |= other.has_code
        return other.hex

    def _numpy(self, value: Any, place: str) -> None:
        dtype = value if isinstance(value, np.dtype) else value.dtype
        self._data("dtype", dtype.str, repr(dtype.descr) if dtype.names else "")
        if isinstance(value, np.dtype) or isinstance(value, np.ndarray) and not self._is_new_array(value):
            return
        self._put(repr(value.shape))
        if dtype.hasobject:
            self.visit(np.asarray(value).ravel().tolist(), place)
        else:
            self._hash.update(hashlib.sha256(np.asarray(value).tobytes()).digest())
        if isinstance(value, np.ndarray) and type(value) is not np.ndarray:  # such as a masked array
            self._named({"class": type(value), **attributes_of(value)}, place)

    def _is_new_array(self, array: Any) -> bool:
        """Reports whether an array was not visited yet, and tells which others have its memory, and where."""
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        number, arrays = self._arrays.setdefault(id(owner), (len(self._arrays), {}))
        if id(array) in arrays:
            self._put("again", str(number), str(arrays[id(array)][0]))
            return False
        many = len(arrays) >= MOST_COMPARED
        for i, other in arrays.values():
            if many or np.may_share_memory(array, other):
                at, before = (each.__array_interface__["data"][0] for each in (array, other))
                self._put("shares", str(number), str(i), str(at - before), repr(array.strides))
            if many:
                break
        arrays[id(array)] = len(arrays), array
        return True

    # Code.

    def _function(self, function: types.FunctionType, place: str) -> None:
        self.has_code = True
        code = function.__code__
        self._put("function")
        if function.__defaults__ is not None:
            self._named({"defaults": function.__defaults__}, place)
        self._named(function.__kwdefaults__ or {}, place)
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            if self._is_new(id(cell)):  # which several functions may have
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
        if not ENVIRONMENT.isdisjoint(code.co_names + code.co_freevars):
            variables = {name: value for name, value in os.environ.items() if name in code.co_consts}
            self._named(variables, place, "environment variable ")

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
        self._imports(function.__code__, given.get("__package__") or "", place)

    def _imports(self, code: types.CodeType, package: str, place: str) -> None:
        """Visits the modules that a code imports when it is executed."""
        names = names_of(code)
        for name in sorted(names.imports):
            self._put("import", name)
            try:
                full = importlib.util.resolve_name(name, package)
            except ImportError:  # it fails when it is executed, too
                self._put("no module")
                continue
            parts = full.split(".")
            for n in range(len(parts)):
                self._imported(".".join(parts[:n + 1]), names.all, place)
            for member in sorted(names.imports[name]):  # which may be a module
                self._imported(full + "." + member, names.all, place, is_module=False)

    def _imported(self, name: str, names: frozenset[str], place: str, is_module: bool = True) -> None:
        """Visits a module that is imported when code is executed. Nothing is executed here: it is visited as its file
        has it, and if it was imported already also in what it holds that its file does not say."""
        spec = spec_of(name)
        module = sys.modules.get(name)
        if spec is None and module is None:
            return self._put("no module", name) if is_module else None
        if self.declared or package_of(name):
            self._put("module", name)
            return self._package(name)
        code = None if spec is None else compiled(spec)
        if spec is None or code is None and not spec.has_location:
            if module is not None:
                self._module(module, "%s.import %s" % (place, name), names)
            return
        if self._is_new(("file", name)):
            self.has_code = True
            self._put("file", name)
            if code is None:  # such as an extension
                with open(str(spec.origin), "rb") as file:
                    self._put(hashlib.file_digest(file, "sha256").hexdigest())
            else:
                self._code(code, place)
                is_package = spec.submodule_search_locations is not None
                self._imports(code, name if is_package else name.rpartition(".")[0], place)
        if module is not None and code is not None and (name, names) not in self._held:
            self._held.add((name, names))
            self._named(changed_in(module, code, None if names & DYNAMIC else names), place, "%s." % name)

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
            if name not in OF_MODULES and (names is None or name in names or name == "__getattr__"):
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
        own: dict[str, Any] = {
            name: value for name, value in vars(kind).items()
            if name not in OF_CLASSES and not isinstance(value, types.MemberDescriptorType)}
        if issubclass(kind, enum.Enum):
            own = {name: value for name, value in own.items() if name not in kind.__members__ and (
                isinstance(value, (types.FunctionType, staticmethod, classmethod)) or not is_of_enum(name))}
            own["members"] = [(name, member.value, {name: value for name, value in vars(member).items()
                                                    if not is_of_enum(name)})
                              for name, member in kind.__members__.items()]
        registered = abc._get_dump(kind)[0] if isinstance(kind, abc.ABCMeta) else ()  # type: ignore[attr-defined]
        if registered:
            own["registered"] = {each() for each in registered}
        self._named(own, place)

    def _patched(self, kind: type[Any], place: str) -> None:
        """Visits what a class of a package has from elsewhere, and its module: functions, and other literals than its
        file has."""
        if self.declared:
            return
        module = sys.modules.get(kind.__module__, kind)
        code = None if package_of(kind.__module__).startswith("python ") else code_of_module(kind.__module__)
        inner = next((each for each in code.co_consts if isinstance(each, types.CodeType)
                      and each.co_name == kind.__qualname__), None) if code else None
        for holder, source in ((kind, inner), (module, code)):
            assigned = assigned_in(source) if source is not None else {}
            held = dict(getattr(holder, "__dict__", {}))  # of what takes a module's place there may be none
            changed = {name: value for name, value in held.items() if name not in OF_MODULES | OF_CLASSES and (
                       is_from_elsewhere(value) or is_other_literal(value, assigned.get(name, [COMPUTED])))}
            self.has_code |= bool(changed)
            self._named(changed, place, "" if holder is kind else "global ")
        for base in kind.__mro__[1:]:
            self.visit(base, place)

    def _method(self, method: types.MethodType, place: str) -> None:
        self._named({"__func__": method.__func__, "__self__": method.__self__}, place)

    def _c_function(self, function: Any, place: str) -> None:
        owner = getattr(function, "__self__", getattr(function, "__objclass__", None))
        if owner is not None and not isinstance(owner, types.ModuleType):
            self._put("of", function.__name__)
            self.visit(owner, place)
        elif package_of(str(getattr(function, "__module__", None) or getattr(owner, "__name__", ""))):
            self._known(function)
        else:
            self._refuse(function, place)

    def _wrapped(self, method: Any, place: str) -> None:
        self._put("static" if isinstance(method, staticmethod) else "class")
        self.visit(method.__func__, place)
        self._more(method, place)

    def _property(self, value: property, place: str) -> None:
        self._put("property")
        parts = {"fget": value.fget, "fset": value.fset, "fdel": value.fdel}
        self._named({name: part for name, part in parts.items() if part is not None}, place)
        self._more(value, place)

    def _partial(self, value: functools.partial[Any], place: str) -> None:
        self._put("partial")
        self._named({"func": value.func, "args": value.args}, place)
        self._named(value.keywords, place)
        self._more(value, place)

    def _cached(self, value: Any, place: str) -> None:
        self._put("cached")
        self.visit(value.__wrapped__, place)
        self._more(value, place)

    def _member(self, value: enum.Enum, place: str) -> None:
        self._data("member", value.name or "", repr(value.value) if isinstance(value, enum.Flag) else "")
        self.visit(type(value), place)

    def _reference(self, value: Any, place: str) -> None:
        self._put("reference")
        self.visit(value(), place)
        self._more(value, place)

    def _more(self, value: Any, place: str) -> None:
        """Visits what an object of one of Python's kinds has beside these: attributes, and a class of its own."""
        attributes = {name: held for name, held in attributes_of(value, slots=False).items() if name[:2] != "__"}
        self._named(attributes if is_known(type(value)) else {"class": type(value), **attributes}, place)

    def _random(self, value: Any, place: str) -> None:
        self._put("random")
        if id(value) not in OF_PROCESS:
            self._more(value, place)
            self.visit(value.bit_generator if isinstance(value, np.random.Generator) else value.get_state(
                legacy=False) if isinstance(value, np.random.RandomState) else value.state, place)

    # Instances.

    def _instance(self, value: Any, place: str) -> None:
        kind = type(value)
        if kind in CONTAINERS:
            return self._items(kind, value, place)
        if isinstance(value, types.MappingProxyType):
            return self._items(dict, dict(value), place)
        if any("%s.%s" % (each.__module__, each.__qualname__) in RESOURCES for each in kind.__mro__):
            return self._refuse(value, place)
        self._put("instance")
        self._named({"class": kind}, place)
        if isinstance(value, NEUTRAL) or id(value) in OF_PROCESS:
            return
        if kind in (LOCK, EVENT):
            return self._data(str(value.locked() if kind is LOCK else value.is_set()))
        if kind is RLOCK:  # of a thread, which is another one in each process
            return
        base = next((each for each in (*CONTAINERS, *LITERALS) if isinstance(value, each)), None)
        if base is None:
            self._reduced(value, place)
        elif base is dict:
            ordered: Any = collections.OrderedDict if isinstance(value, collections.OrderedDict) else dict
            self._items(dict, dict(ordered.items(value)), place)
        elif base in CONTAINERS:
            self._items(base, list(base.__iter__(value)), place)
        else:
            self.visit(base.__getnewargs__(value)[0] if base is not bytearray else bytes(value), place)
        self._named(attributes_of(value), place, leave_out=noted_by_gymnasium(kind))

    def _reduced(self, value: Any, place: str) -> None:
        """Visits the state of an object that is not in its attributes, as pickling has it. No method of one's own is
        called for it."""
        kind = type(value)
        reduce = copyreg.dispatch_table.get(kind) if is_known(kind) else None
        definer = next(each for each in kind.__mro__ if not HOOKS.isdisjoint(vars(each)))
        tells = is_in_c(definer) or is_known(definer) and not HOOKS_OF_ALL.isdisjoint(vars(definer))
        if reduce is None and (definer is object or not tells):
            return self._refuse(value, place) if has_state_of_c(kind) else None
        try:
            reduced = reduce(value) if reduce is not None else value.__reduce_ex__(2)
        except Exception:
            return self._refuse(value, place)
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


def noted_by_gymnasium(kind: type[Any]) -> set[str]:
    """Returns the attributes in which Gymnasium's classes note how an object is used, and which no class of others
    among its bases names."""
    noted, named = set[str](), set[str]()
    for each in kind.__mro__:
        if each.__module__.partition(".")[0] == "gymnasium":
            noted |= KEPT_BY_GYMNASIUM.get(each.__name__, set())
        elif not package_of(each.__module__).startswith("python "):
            named |= names_in(each)
    return set() if named & DYNAMIC else noted - named


def names_in(kind: type[Any]) -> set[str]:
    """Returns the names in the code of a class's own functions."""
    return {name for value in vars(kind).values() for function in functions_in(value)
            for name in names_of(function.__code__).all}


def functions_in(value: Any) -> list[types.FunctionType]:
    """Returns the functions that a member of a class is made of."""
    parts = [value]
    if isinstance(value, MADE_OF_FUNCTIONS):
        parts = [getattr(value, part, None) for part in ("__func__", "fget", "fset", "__wrapped__", "func")]
    return [part for part in parts if isinstance(part, types.FunctionType)]


MADE_OF_FUNCTIONS = (staticmethod, classmethod, property, functools.partial, functools.partialmethod,
                     functools.cached_property, functools.singledispatchmethod, functools._lru_cache_wrapper)


def is_from_elsewhere(value: Any) -> bool:
    """Reports whether what a package holds is made of functions of no package."""
    return any(not package_of(function.__module__ or "") for function in functions_in(value))


def is_of_enum(name: str) -> bool:
    """Reports whether the machinery of enumerations has given an attribute."""
    return name[:1] == "_" == name[-1:]


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
        found: Any = sys.modules.get(root)
        path = getattr(found, "__file__", None)
        if found is None and (found := spec_of(root)) is not None and found.has_location:
            path = found.origin
        if found is None:
            return ""
        places = getattr(found, "__path__", None) or getattr(found, "submodule_search_locations", None) or ()
        PACKAGES[root] = find_package(root, path or next(iter(places), None))
    return PACKAGES[root]


def find_package(root: str, path: str | None) -> str:
    """Returns the package of a module that is in no other one, with its version, by the path of its file."""
    if root == "podtrack":
        return "podtrack"
    python = "python %d.%d" % sys.version_info[:2]
    if path is None:
        return python if root in sys.builtin_module_names or root in sys.stdlib_module_names else ""
    path = os.path.abspath(path)
    installed = any(os.sep + name + os.sep in path for name in ("site-packages", "dist-packages"))
    if root == "__main__":
        return ""
    if root == "gymnasium":
        version = str(getattr(sys.modules.get(root), "__version__", "")) or make.version_of(root)
        return str(make.package_text(root, version))
    if not installed and any(path.startswith(sysconfig.get_path(name) + os.sep) for name in ("stdlib", "platstdlib")):
        return python
    version = make.version_of(root) if installed or was_installed(root, path) else ""
    return str(make.package_text(root, version)) if version else ""


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


def spec_of(name: str) -> importlib.machinery.ModuleSpec | None:
    """Returns the spec of a module without importing it or its packages, None if there is none."""
    path, spec, parts = None, None, name.split(".")
    for n in range(len(parts)):
        full = ".".join(parts[:n + 1])
        finders = [finder for finder in sys.meta_path if hasattr(finder, "find_spec")]
        spec = next((found for finder in finders if (found := finder.find_spec(full, path)) is not None), None)
        if spec is None:
            return None
        path = spec.submodule_search_locations
        if path is None and n + 1 < len(parts):
            return None
    return spec


def compiled(spec: importlib.machinery.ModuleSpec) -> types.CodeType | None:
    """Returns the code of a module, None if it is not in Python or is no code."""
    try:
        source = spec.loader.get_source(spec.name) if isinstance(spec.loader, importlib.abc.InspectLoader) else None
        return None if source is None else compile(source, str(spec.origin), "exec", dont_inherit=True)
    except (ImportError, SyntaxError, ValueError):
        return None


def changed_in(module: types.ModuleType, code: types.CodeType, names: frozenset[str] | None) -> dict[str, Any]:
    """Returns what a module holds under these names, None for all, that does not follow from its code."""
    assigned, found = assigned_in(code), {}
    for name, value in vars(module).items():
        if name in OF_MODULES or isinstance(value, types.ModuleType):
            continue
        given = assigned.get(name, [])
        follows = IMPORTED in given or any(is_same_literal(value, each) for each in given)
        if isinstance(value, (type, types.FunctionType)) and value.__module__ == module.__name__:
            follows = name == value.__name__ and (
                isinstance(value, type) or value.__code__.co_filename == code.co_filename)
        if not follows and (names is None or name in names or is_other_literal(value, given or [COMPUTED])):
            found[name] = value
    return found


IMPORTED, COMPUTED = object(), object()
"""Stand for what a module imports, and for all else that is no literal."""


@functools.lru_cache(None)
def assigned_in(code: types.CodeType) -> dict[str, list[Any]]:
    """Returns what the code of a module or a class assigns to names: literals as they stand there, or what stands for
    others. What its functions assign to globals is computed."""
    found: dict[str, list[Any]] = {}
    before: dis.Instruction | None = None
    for each in dis.get_instructions(code):
        if each.opname == "STORE_NAME":
            how = before.opname if before is not None else ""
            found.setdefault(each.argval, []).append(
                IMPORTED if how in ("IMPORT_FROM", "IMPORT_NAME") else
                before.argval if before is not None and how in ("LOAD_CONST", "LOAD_SMALL_INT") else COMPUTED)
        before = each
    for name in names_of(code).stores:
        found.setdefault(name, []).append(COMPUTED)
    return found


@functools.lru_cache(None)
def code_of_module(name: str) -> types.CodeType | None:
    """Returns the code of a module of a package by its file, None if it is not in Python."""
    spec = spec_of(name)
    return None if spec is None else compiled(spec)


def is_other_literal(value: Any, assigned: list[Any]) -> bool:
    """Reports whether only literals are assigned to a name, and the value is another one."""
    return type(value) in CONSTANTS and IMPORTED not in assigned and COMPUTED not in assigned and not any(
        is_same_literal(value, each) for each in assigned)


CONSTANTS = (*LITERALS, tuple, frozenset)
"""Types of what a code has as it stands there."""


def is_same_literal(a: Any, b: Any) -> bool:
    return type(a) in CONSTANTS and type(a) is type(b) and repr(a) == repr(b)


class Names:
    """The names that a code has: globals, those that functions assign, modules that it imports with the names that it
    takes from each, and all, attributes included."""

    def __init__(self) -> None:
        self.globals: set[str] = set()
        self.stores: set[str] = set()
        self.imports: dict[str, set[str]] = {}
        self.all: frozenset[str] = frozenset()


@functools.lru_cache(None)
def names_of(code: types.CodeType) -> Names:
    """Returns the names of a code, and of those within it."""
    found = Names()
    names, consts = set(code.co_names), list[Any]([0, ()])
    for each in dis.get_instructions(code):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found.globals.add(each.argval)
        elif each.opname == "STORE_GLOBAL":
            found.stores.add(each.argval)
        elif each.opname == "IMPORT_NAME":
            level, members = consts
            found.imports.setdefault("." * level + each.argval, set()).update(members or ())
        elif each.opname in ("LOAD_CONST", "LOAD_SMALL_INT"):
            consts = [consts[-1], each.argval]
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            inner = names_of(const)
            found.globals |= inner.globals
            found.stores |= inner.stores
            for name, members in inner.imports.items():
                found.imports.setdefault(name, set()).update(members)
            names |= inner.all
    found.all = frozenset(names)
    return found


def has_state_of_c(kind: type[Any]) -> bool:
    """Reports whether objects of a class hold more than their attributes and slots."""
    own_dict = kind.__dictoffset__ != 0 and not kind.__flags__ & MANAGED_DICT
    pointers = len(slots_of(kind)) + own_dict + (kind.__weakrefoffset__ > 0)
    size = object.__basicsize__ + pointers * struct.calcsize("P")
    return kind.__basicsize__ > size or kind.__itemsize__ > 0


MANAGED_DICT = 1 << 4
"""The flag of classes whose objects have their __dict__ before them."""


def slots_of(kind: type[Any]) -> list[tuple[str, types.MemberDescriptorType]]:
    """Returns the slots of a class and of its bases, those first."""
    return [(name, slot) for each in reversed(kind.__mro__) for name, slot in vars(each).items()
            if isinstance(slot, types.MemberDescriptorType) and name[:2] != "__"]


def attributes_of(value: Any, slots: bool = True) -> dict[str, Any]:
    """Returns what an object holds in its __dict__ and in slots."""
    found: dict[str, Any] = {}
    for name, slot in slots_of(type(value)) if slots else ():
        try:
            found[name] = slot.__get__(value)
        except AttributeError:
            continue
    try:
        found.update(object.__getattribute__(value, "__dict__"))
    except AttributeError:
        pass
    return found
