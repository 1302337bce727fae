"""The server's side of podtrack's protocol (replay/external/PROTOCOL.md), for any environment
in Python:

    serve(make)

reads requests from stdin and writes answers to stdout until stdin ends. make() is called at
the first request and returns an object with

    declaration           the answer to hello, without its id
    reset(seed)           begins an episode, with a seed or None, and returns an observation
    step(action)          returns (observation, reward, terminated, truncated)
    encode(observation)   an observation as JSON has it
    code()                what it tells of its code (PROTOCOL.md); without it, what is imported
    pack(observation)     its bytes: u32, bits (lowest first) or f64 (never -0), little-endian;
                          without it every observation is sent as JSON. pack_reals(n) is one for
                          lists of n numbers

An observation may be of any type; only encode and pack look at it. encode of real features is
a list of floats. Everything else that is printed goes to stderr, and stdin is empty.
"""

import base64
import hashlib
import json
import math
import os
import re
import struct
import sys
import sysconfig
import traceback
from array import array
from time import perf_counter

STEPS, FRAMES, POLICIES, WEIGHTS, PARTS = "steps", "frames", "policies", "weights", "parts"  # extensions
PART_SECONDS = 0.01  # after which the steps so far are sent
MOST_UNTIMED, UNTIMED_SECONDS = 16, 0.0001  # steps between two looks at the time
NO_OPTION = 255
LOW = (1 << 64) - 1
MOST_KNOWN = 1 << 9  # observations, in which options are computed from weights once
MINUS_ZERO = struct.pack("d", -0.0)
ROUNDS_ONCE = 1e16 + 2.9999 == 1e16 + 2  # not so where sums are rounded to 64 bits and again to 53, on old processors


class Refused(Exception):
    """What cannot be done, in words for who asked for it, and perhaps the remedy: by the options of a name, and by
    Python where the environment is an object."""

    def __init__(self, what, remedy="", of_objects=None):
        super().__init__(what + (remedy and "; " + remedy))
        self.what, self.of_objects = what, remedy if of_objects is None else of_objects


def line_of(answer):
    return json.dumps(answer, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def little(numbers):
    """An array as it is in memory of the other order of bytes, where this machine has that."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def pack_numbers(numbers):
    """Numbers as f64, 0 in place of -0."""
    packed = array("d", numbers)
    if MINUS_ZERO in packed.tobytes():  # or at the end of one number and the begin of the next
        packed = array("d", [x + 0.0 for x in packed])
    return little(packed).tobytes()


def pack_reals(size):
    """A function that packs lists of that many numbers."""
    pack, minus_zero = struct.Struct("<%dd" % size).pack, struct.pack("<d", -0.0)

    def packed(numbers):
        data = pack(*numbers)
        return pack(*[x + 0.0 for x in numbers]) if minus_zero in data else data

    return packed


class Taken:
    """The steps of an answer, as they are taken. Observations are keys, or the numbers of real ones
    one after the other."""

    def __init__(self, session, request, are_numbers, decided):
        self.session, self.decided, self.id = session, decided, request.get("id")
        self.seconds, self.are_numbers = request["seconds"], are_numbers
        self.size = session.size if are_numbers else 1  # of an observation
        self.actions, self.rewards, self.observations = [], [], array("d") if are_numbers else []
        self.ended = []  # how episodes ended, and how long observations then was
        self.see = self.observations.fromlist if are_numbers else self.observations.append

    def pieces(self, steps):
        """Divides steps, a range or a list. While a piece is taken no time is read, so that it is a
        single step unless they take little time. Parts of the answer are sent, and the pieces end when
        the time is up."""
        at, n, now = 0, 1, perf_counter()
        until, due = now + self.seconds, now + PART_SECONDS
        while at < len(steps):
            yield steps[at:at + n]
            at, before, now = at + n, now, perf_counter()
            if now > until:
                break
            n = min(2 * n, MOST_UNTIMED) if now - before < UNTIMED_SECONDS else 1
            if now > due and at < len(steps) and self.session.send:
                self.send_part()
                due = perf_counter() + PART_SECONDS

    def send_part(self):
        members, payload = self.answer()
        self.session.send(line_of({"id": self.id, **members, "more": True}) + payload + b"\n")
        for each in (self.ended, self.actions, self.rewards, self.observations):
            del each[:]

    def ends(self):
        """A byte for each step."""
        seen, rest = divmod(len(self.observations), self.size)
        if rest:
            raise Refused("an observation has not %d numbers" % self.size)
        ends = bytearray(seen - len(self.ended))
        for before, (how, length) in enumerate(self.ended):
            ends[length // self.size - 1 - before] = how
        return ends

    def answer(self):
        """The members of the answer, and its payload; None where there is none."""
        session, rewards, ends = self.session, [float(r) for r in self.rewards], self.ends()
        if not all(map(math.isfinite, rewards)):
            raise Refused("a reward is not finite: %r" % [r for r in rewards if not math.isfinite(r)][0])
        if not session.frames:
            answer = {"observations": self.observations, "ends": list(ends)}
            return {**answer, "rewards": rewards} if session.rewarded else answer, None
        payload = [ends, bytes(self.actions if self.decided else ()), little(array("d", rewards)).tobytes()]
        if session.discrete:
            payload.append(little(array("I", self.observations)).tobytes())
        elif self.are_numbers:
            payload.append(pack_numbers(self.observations))
        else:
            payload += self.observations
        payload = b"".join(payload)
        return {"steps": len(ends), "bytes": len(payload)}, payload


def split(data, size):
    return [data[i:i + size] for i in range(0, len(data), size)]


class NumberRows:
    """The rows of real observations. Few recur, so a row is looked for only if its first number was seen."""

    def __init__(self, size):
        self.size, self.firsts, self.added, self.rows = size, set(), [], {}

    def add(self, observations, actions, options):
        numbers = little(array("d", observations))
        self.firsts.update(numbers[::self.size])
        self.added.append((numbers, actions, options))

    def find(self, observation):
        if observation[0] not in self.firsts:
            return None
        for numbers, actions, options in self.added:
            self.rows.update(zip(zip(*[iter(numbers)] * self.size), split(actions, options)))
        self.added.clear()
        return self.rows.get(tuple(observation))


class KeyRows:
    """The rows of observations that are numbers or bytes."""

    def __init__(self, unpack):
        self.unpack, self.rows = unpack, {}
        self.find = self.rows.get

    def add(self, observations, actions, options):
        self.rows.update(zip(self.unpack(observations), split(actions, options)))


STANDARD = tuple(sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "platstdlib"))
INSTALLED = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages"))
READS = re.compile(rb"""environ(?:\.get\(|\[)\s*["'](\w+)["']|getenv\(\s*["'](\w+)["']""")
UNREAD = (b"PODTRACK_", b"SLURM_", b"PYTHONHASHSEED")  # are of the process, or told elsewhere


def is_installed(path):
    """Whether a file is Python's, or a package's."""
    return path.startswith(STANDARD) or any(folder in path for folder in INSTALLED)


def code_of(modules):
    """The versions of the packages that are imported, the files of modules that belong to none, and with the packages
    digests of the environment variables that these read."""
    from importlib import metadata

    packages, files, unknown = {}, [], set()
    for name, module in sorted(modules.items()):
        path, top = getattr(module, "__file__", None), name.partition(".")[0]
        if not isinstance(path, str) or top in packages:
            continue
        path = os.path.abspath(path)
        installed = any(folder in path for folder in INSTALLED)
        if path.startswith(STANDARD) and not installed:
            continue
        if top not in unknown:
            try:
                packages[top] = metadata.version(top)
                continue
            except Exception:  # of no distribution, or of one by another name
                unknown.add(top)
        version = getattr(module, "__version__", None)
        if not installed and os.path.isfile(path):
            files.append(path)
        elif top == name and isinstance(version, str):
            packages[top] = version
    return {"packages": {**packages, **variables_of(files)}, "files": files}


def variables_of(files):
    """Digests of the environment variables that code in files reads by name: their values may be secret."""
    found = {}
    for path in files:
        with open(path, "rb") as file:
            for name in {name for names in READS.findall(file.read()) for name in names if name}:
                if not name.startswith(UNREAD):
                    value = os.environ.get(name.decode())
                    found["$" + name.decode()] = "unset" if value is None else short_digest(os.fsencode(value))
    return found


def short_digest(data):
    return hashlib.sha256(data).hexdigest()[:10]


def sum_of(weights):
    """The source of a linear q: the products in the order of the features, and then the constant."""
    products = ["%r * x%d" % (weight, i) for i, weight in enumerate(weights[1:])]
    return " + ".join(products + ["%r" % weights[0]])


def source_of_choice(name, unpack, tolerance, sums):
    """A function that returns the first action whose q is within the tolerance of the best one, if that is
    above the tolerance."""
    lines = ["def %s(x):" % name, unpack] + [" q%d = %s" % pair for pair in enumerate(sums)] + [" best = q0"]
    for a in range(1, len(sums)):
        lines += [" if q%d > best:" % a, "  best = q%d" % a,
                  " elif not q%d <= best:" % a, "  return %d" % NO_OPTION]  # no number
    lines += [" if not best > %r:" % tolerance, "  return %d" % NO_OPTION, " best -= %r" % tolerance]
    for a in range(len(sums)):
        lines += [" if q%d >= best:" % a, "  return %d" % a]
    return lines


class Weights:
    """Options whose actions follow from linear q of real observations. Functions are made for them, since
    their sums have to be those of the client, bit by bit: of products in order, each rounded."""

    def __init__(self, data, options, actions):
        numbers = little(array("d", base64.b64decode(data))).tolist()
        each = len(numbers) // options
        size = (each - 1) // actions - 1
        tolerances = numbers[::each]
        del numbers[::each]
        names = ["x%d" % i for i in range(size)]
        unpack = " %s, = x" % ", ".join(names)
        bound = 1e300 / max(1.0, *map(abs, numbers)) / (size + 1)  # no sum of less is infinite
        sure = " and ".join("%r < %s < %r" % (-bound, name, bound) for name in names)
        choices, starts = [], ["def starts(x):", unpack, " if not (%s):" % sure, "  return None", " found = []"]
        for i, tolerance in enumerate(tolerances):
            first = i * (each - 1)
            sums = [sum_of(numbers[j:j + size + 1]) for j in range(first, first + each - 1, size + 1)]
            choices += source_of_choice("choice%d" % i, unpack, tolerance, sums)
            starts += [" if %s:" % " or ".join("%s > %r" % (text, tolerance) for text in sums),
                       "  found.append(%d)" % i]
        made = {}
        exec("\n".join(choices + starts + [" return found", ""]), made)
        self.choices, self.starts = [made["choice%d" % i] for i in range(options)], made["starts"]
        self.known, self.available = {}, self.known_available

    def known_available(self, numbers):
        """The options that can start, or None where a q may be infinite."""
        key = tuple(numbers)
        options = self.known.get(key)
        if options is None:
            options = self.known[key] = self.starts(numbers)
            if len(self.known) > MOST_KNOWN:  # they rarely recur
                self.available = self.starts
        return options


class Session:
    """An environment and what the client told of it."""

    def __init__(self, environment, send):
        self.environment, self.declaration = environment, environment.declaration
        self.can_send, self.send = send, None  # a part of an answer
        self.rewarded = bool(self.declaration.get("reward"))
        kind = self.declaration["observes"]["kind"]
        self.discrete, self.real = kind == "discrete", kind == "real"
        self.size = len(self.declaration["observes"].get("features", ()))
        self.frames, self.form = False, environment.encode
        self.last = None  # observation
        self.rows, self.limits, self.available, self.weights = None, [], {}, None

    def perform(self, request):
        """The members of the answer to a request, and its payload."""
        do = request["do"]
        if do == "step":
            return self.step(request["action"]), None
        if do == "steps":
            return self.steps(request)
        if do == "walk":
            return self.walk(request)
        if do in ("hello", "reset", "options", "policies"):
            return getattr(self, do)(request), None
        raise Refused("there is no request %r" % do)

    def hello(self, request):
        known = [STEPS]
        if hasattr(self.environment, "pack"):
            known += [FRAMES, POLICIES] + [WEIGHTS] * (self.real and ROUNDS_ONCE) + [PARTS] * bool(self.can_send)
        used = [name for name in known if name in request.get("extensions", [])]
        self.frames, self.send = FRAMES in used, self.can_send if PARTS in used else None
        if self.frames and not (self.discrete or self.real):
            self.form = self.environment.pack
        answer = {**self.declaration, "extensions": used} if used else dict(self.declaration)
        if request.get("code"):
            tell = getattr(self.environment, "code", None)
            answer["code"] = tell() if tell else code_of(sys.modules)
            answer["code"]["packages"].update(getattr(self.environment, "files", {}))
        return answer

    def reset(self, request):
        self.last = self.environment.reset(request.get("seed"))
        return {"observation": self.environment.encode(self.last)}

    def step(self, action):
        self.last, reward, terminated, truncated = self.environment.step(action)
        answer = {"observation": self.environment.encode(self.last),
                  "terminated": bool(terminated), "truncated": bool(truncated)}
        if self.rewarded:
            answer["reward"] = float(reward)
            if not math.isfinite(answer["reward"]):
                raise Refused("the reward %r is not finite" % reward)
        return answer

    def steps(self, request):
        """Takes given actions, until the time is up."""
        taken = Taken(self, request, self.frames and self.real, False)
        step, reset, form = self.environment.step, self.environment.reset, self.form
        see, rewarded, observation = taken.see, self.rewarded, self.last
        for piece in taken.pieces(request["actions"]):
            for action in piece:
                observation, reward, terminated, truncated = step(action)
                see(form(observation))
                if rewarded:
                    taken.rewards.append(reward)
                if terminated or truncated:
                    taken.ended.append((1 if terminated else 2, len(taken.observations)))
                    observation = reset(None)
                    see(form(observation))
        self.last = observation
        return taken.answer()

    def options(self, request):
        self.limits, self.rows, self.available, self.weights = request["limits"], self.new_rows(), {}, None
        if "weights" in request:
            self.weights = Weights(request["weights"], len(self.limits), len(self.declaration["actions"]))
        return {}

    def new_rows(self):
        if self.real:
            return NumberRows(self.size)
        if self.discrete:
            return KeyRows(lambda data: little(array("I", data)))
        size = (self.size + 7) // 8
        return KeyRows(lambda data: split(data, size))

    def policies(self, request):
        """Keeps the actions of all options in some observations."""
        observations, actions = (base64.b64decode(request[name]) for name in ("observations", "policies"))
        self.rows.add(observations, actions, len(self.limits))
        return {}

    def available_in(self, row):
        """The options that can start where the row has an action for them."""
        options = self.available[row] = array("H", [i for i, action in enumerate(row) if action != NO_OPTION])
        return options

    def walk(self, request):
        """Takes the steps that the agent would, until one does not follow from the request."""
        if self.weights:
            return self.walk_by_weights(request)
        if "observations" in request:
            self.policies(request)
        taken = Taken(self, request, self.real, True)
        step, form, reset, limits, rewarded = (
            self.environment.step, self.form, self.environment.reset, self.limits, self.rewarded)
        act, see, find, known = taken.actions.append, taken.see, self.rows.find, self.available
        stop, chance, arity = request["stop"], request.get("chance", 0), len(self.declaration["actions"])
        executing, executed = request["executing"], request["executed"]
        draws, at = little(array("Q", base64.b64decode(request["draws"]))), 0
        last = len(draws) - (2 if chance else 1)
        observation = self.last
        row = find(form(observation))
        for piece in taken.pieces(range(request["steps"])):
            for _ in piece:
                if row is None and stop:
                    break
                if executing < 0:
                    if at > last:
                        break
                    options = ()
                    if row is not None:
                        options = known.get(row)
                        if options is None:
                            options = self.available_in(row)
                    first, n = 0, arity + len(options)
                    if chance:
                        n = arity
                        if options:
                            if draws[at] >> 11 < chance:
                                first, n = arity, len(options)
                            at += 1
                    product = draws[at] * n
                    at += 1
                    if product & LOW < n:
                        break  # it may have to be drawn again
                    action = first + (product >> 64)
                    if action >= arity:
                        executing, executed = options[action - arity], 0
                        action = row[executing]
                elif row is None:
                    break
                else:
                    action = row[executing]
                observation, reward, terminated, truncated = step(action)
                act(action)
                current = form(observation)
                see(current)
                if rewarded:
                    taken.rewards.append(reward)
                if terminated or truncated:
                    taken.ended.append((1 if terminated else 2, len(taken.observations)))
                    observation = reset(None)
                    current = form(observation)
                    see(current)
                    executing = -1
                row = find(current)
                if executing >= 0:
                    executed += 1
                    if executed == limits[executing] or (
                            not stop if row is None else row[executing] == NO_OPTION):
                        executing = -1
            else:
                continue
            break
        self.last = observation
        return taken.answer()

    def walk_by_weights(self, request):
        """What walk does, if no row is needed."""
        taken = Taken(self, request, True, True)
        step, encode, reset, limits, rewarded = (
            self.environment.step, self.environment.encode, self.environment.reset, self.limits, self.rewarded)
        act, see, choices = taken.actions.append, taken.see, self.weights.choices
        chance, arity = request.get("chance", 0), len(self.declaration["actions"])
        executing, executed = request["executing"], request["executed"]
        draws, at = little(array("Q", base64.b64decode(request["draws"]))), 0
        last = len(draws) - (2 if chance else 1)
        observation = self.last
        numbers = encode(observation)
        choose, action = choices[executing], NO_OPTION
        if executing >= 0:
            action = choose(numbers)
        for piece in taken.pieces(range(request["steps"])):
            available = self.weights.available
            for _ in piece:
                if executing < 0:
                    options = available(numbers)
                    if options is None or at > last:
                        break
                    first, n = 0, arity + len(options)
                    if chance:
                        n = arity
                        if options:
                            if draws[at] >> 11 < chance:
                                first, n = arity, len(options)
                            at += 1
                    product = draws[at] * n
                    at += 1
                    if product & LOW < n:
                        break  # it may have to be drawn again
                    action = first + (product >> 64)
                    if action >= arity:
                        executing, executed = options[action - arity], 0
                        choose = choices[executing]
                        action = choose(numbers)
                observation, reward, terminated, truncated = step(action)
                act(action)
                numbers = encode(observation)
                see(numbers)
                if rewarded:
                    taken.rewards.append(reward)
                if terminated or truncated:
                    taken.ended.append((1 if terminated else 2, len(taken.observations)))
                    observation = reset(None)
                    numbers = encode(observation)
                    see(numbers)
                    executing = -1
                elif executing >= 0:
                    executed += 1
                    action = choose(numbers)
                    if action == NO_OPTION or executed == limits[executing]:
                        executing = -1
            else:
                continue
            break
        self.last = observation
        return taken.answer()


LONGEST_TEXT = 10000  # characters; a line of an answer has up to 1 MiB


def said(error):
    """The class of an exception and the beginning of its text, which may fail."""
    try:
        text = str(error)[:LONGEST_TEXT]
    except Exception as failed:
        text = "its text cannot be told: %s" % type(failed).__name__
    return "%s: %s" % (type(error).__name__, text)


def answers(requests, make, report=traceback.print_exc, send=None):
    """The bytes that answer each request, the environment being made for the first one. report is
    called for each exception that an environment raises, while it is handled. Without send, which
    takes bytes, no answer comes in parts."""
    session = None
    for text in requests:
        request = json.loads(text)
        answer, payload = {"id": request["id"]}, None
        try:
            if session is None:
                session = Session(make(), send)
            members, payload = session.perform(request)
            line = line_of({**answer, **members})
        except Refused as refused:
            line, payload = line_of({**answer, "error": str(refused)}), None
        except Exception as error:
            report()
            line, payload = line_of({**answer, "error": said(error)}), None
        yield line if payload is None else line + payload + b"\n"


def serve(make):
    out = os.fdopen(os.dup(1), "wb")  # answers alone; whatever else is printed goes to stderr
    requests = open(os.dup(0), "rb", buffering=1 << 18)  # those with policies are long
    os.dup2(2, 1)
    with open(os.devnull, "rb") as nothing:  # what asks a question, such as input() or a debugger, gets no request
        os.dup2(nothing.fileno(), 0)

    def send(text):
        out.write(text)
        out.flush()

    for text in answers(requests, make, send=send):
        send(text)
