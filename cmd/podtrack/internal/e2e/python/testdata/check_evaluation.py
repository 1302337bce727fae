"""Learns the tasks of podtrack evaluate --json again, by its own means, and compares: steps exactly,
means to 1e-9 and, where SciPy is, intervals to 1e-9 of their width. Arguments: an npz file of the
runs, the JSON, the map's file, the folder of stream.py.

What an agent does is written here from schema/FORMAT.md and from the papers, not from podtrack's code:
Sutton, Precup & Singh (1999) for smdp and intra-option, and for published the protocol of the code of
Machado, Bellemare & Bowling (2017)."""
import json
import sys
from functools import cache

import numpy as np

npz, document, plan, streams = sys.argv[1:]
sys.path.insert(0, streams)
import stream  # noqa: E402

EXPLORE = 2**31 - 1
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]  # up, right, down, left


def read_map(path):
    """The free cells row by row, and the state behind each move."""
    rows = open(path).read().splitlines()[1:]
    cells = [(r, c) for r, row in enumerate(rows) for c, what in enumerate(row) if what != "X"]
    number = {cell: s for s, cell in enumerate(cells)}
    after = np.array([[number.get((r + dr, c + dc), s) for dr, dc in MOVES] for s, (r, c) in enumerate(cells)])
    return cells, number, after


cells, number, after = read_map(plan)
STATES, ACTIONS = after.shape
before = [np.flatnonzero((after == s).any(axis=1)).tolist() for s in range(STATES)]


@cache
def fewest(goal):
    """The least number of steps to the goal from each state."""
    steps = np.full(STATES, -1)
    steps[goal], queue = 0, [goal]
    for x in queue:
        new = [s for s in before[x] if steps[s] < 0]
        steps[new] = steps[x] + 1
        queue += new
    return steps


@cache
def hallway_options():
    """A policy for each room and each of its doors; doors are the cells without which rooms fall apart."""
    def wall(r, c):
        return (r, c) not in number

    doors = [s for s, (r, c) in enumerate(cells)
             if (wall(r - 1, c) and wall(r + 1, c)) != (wall(r, c - 1) and wall(r, c + 1))]
    room, rooms = {}, []
    for s in range(STATES):
        if s in doors or s in room:
            continue
        found = [s]
        for x in found:
            found += [n for n in dict.fromkeys(after[x].tolist()) if n not in found and n not in doors]
        rooms.append(sorted(found))
        room.update(dict.fromkeys(found, len(rooms) - 1))
    options = []
    for inside in rooms:
        own = [d for d in doors if any(n in inside for n in after[d])]
        for door in own:
            distance = {door: 0}
            queue = [door]
            for x in queue:
                for n in after[x].tolist():
                    if n not in distance and (n in inside or n in own):
                        distance[n] = distance[x] + 1
                        queue.append(n)
            policy = np.full(STATES, -1)
            for s, d in distance.items():
                if d > 0:
                    policy[s] = next(a for a in range(ACTIONS) if distance.get(after[s][a]) == d - 1)
            options.append(policy)
    return options


@cache
def random_options(seed, count, gamma, sweeps, tolerance):
    """Options of random purposes in both signs, by value iteration. Each entry of a purpose is a sum of twelve numbers,
    before it is scaled to length 1."""
    below, options = stream.podtrack(seed, 0, b"random-options"), []
    while len(options) < count:
        e = np.array([sum(below(1 << 32) - (2**32 - 1) / 2 for _ in range(12)) for _ in range(STATES)])
        e /= np.sqrt(np.sum(e * e))
        for w in (e, -e):
            reward, v = w[after] - w[:, None], np.zeros(STATES)
            for _ in range(sweeps):
                v = np.maximum(0, (reward + gamma * v[after]).max(axis=1))
            q = reward + gamma * v[after]
            least = max(tolerance, 4 * 2.0**-52 * np.abs(w).max() / (1 - gamma))
            best = q.max(axis=1)  # actions that rounding alone tells apart are tied: the lowest of them
            near = q >= best[:, None] - 1e-13
            options.append(np.where(best > least, near.argmax(axis=1), -1))
    return options[:count]


class Agent:
    def __init__(self, task, spec, options, seed):
        self.goal, self.start, self.spec, self.options = task[0], task[1], spec, [policy for policy, _ in options]
        self.below = stream.podtrack(seed, 0, b"practice")
        self.published = spec["algorithm"] == "published"
        self.q = np.zeros((STATES, ACTIONS + (0 if self.published else len(options))))
        self.starts = [s for s in range(STATES) if s != self.goal]
        self.here = [list(range(ACTIONS)) + [ACTIONS + i for i, (_, starts) in enumerate(options) if starts[s]]
                     for s in range(STATES)]
        self.acting = [list(range(ACTIONS)) + [ACTIONS + i for i, (policy, _) in enumerate(options) if policy[s] >= 0]
                       for s in range(STATES)]

    def first(self):
        return self.start if self.start >= 0 else self.starts[self.below(len(self.starts))]

    def action(self, choice, s):
        return choice if choice < ACTIONS else self.options[choice - ACTIONS][s]

    def greedy(self, s, epsilon, choices):
        if self.below(EXPLORE) < int(epsilon * EXPLORE):
            return choices[self.below(len(choices))]
        values = self.q[s][choices].tolist()
        most = max(values)
        best = [c for c, v in zip(choices, values) if v == most]
        return best[0] if len(best) == 1 else best[self.below(len(best))]

    def target(self, s, value=None):
        if s == self.goal:
            return 1.0
        return self.spec["gamma"] * (self.q[s][self.choices(s)].max() if value is None else value)

    def choices(self, s):
        return list(range(ACTIONS)) if self.published else self.here[s]

    def learn(self, s, choice, target):
        self.q[s, choice] += self.spec["alpha"] * (target - self.q[s, choice])

    def episode(self, epsilon):
        s, steps, limit, gamma = self.first(), 0, self.spec["limit"], self.spec["gamma"]
        while s != self.goal and steps < limit:
            if self.published:
                choice = self.here[s][self.below(len(self.here[s]))]
            else:
                choice = self.greedy(s, epsilon, self.here[s])
            begun, n = s, 0
            while True:
                before, a = s, self.action(choice, s)
                s, steps, n = after[s][a], steps + 1, n + 1
                if self.published:
                    self.learn(before, a, self.target(s))
                elif self.spec["algorithm"] == "intra-option":
                    self.learn_within(before, a, s)
                ended = choice < ACTIONS or self.options[choice - ACTIONS][s] < 0
                if s == self.goal or steps == limit or ended:
                    break
            if self.spec["algorithm"] == "smdp":
                discount = 1.0
                for _ in range(n - 1):
                    discount *= gamma
                self.learn(begun, choice, discount * self.target(s))
        return steps if s == self.goal else 0

    def learn_within(self, s, a, into):
        best = 0.0 if into == self.goal else self.q[into][self.here[into]].max()
        for choice in self.acting[s]:
            if self.action(choice, s) != a:
                continue
            goes_on = choice >= ACTIONS and self.options[choice - ACTIONS][into] >= 0
            self.learn(s, choice, self.target(into, self.q[into][choice] if goes_on else best))

    def scored(self, epsilon):
        s, steps = self.first(), 0
        while s != self.goal and steps < self.spec["limit"]:
            s, steps = after[s][self.greedy(s, epsilon, list(range(ACTIONS)))], steps + 1
        return steps if s == self.goal else 0

    def train(self):
        spec, n = self.spec, self.spec["episodes"]
        greedy_from, curve = n - max(n // 10, 1), []
        for i in range(n):
            epsilon = spec["epsilon"]
            if not self.published:
                epsilon = epsilon * max(greedy_from - i, 0) / greedy_from if greedy_from else 0.0
            if self.published:
                self.episode(None)
                curve.append(self.scored(epsilon))
            else:
                curve.append(self.episode(epsilon))
        return curve


def option_sets(arm, arrays, prefix=""):
    """The options of an arm, by seed: the policy of each, and where it starts."""
    of = lambda name: arrays[prefix + "0/" + name]
    found = [(policy, starts) for policy, starts in zip(of("policy"), of("initiation")) if starts.any()]
    anywhere = lambda policies: [(policy, policy >= 0) for policy in policies]
    if arm == "options":
        return lambda seed: found
    if arm == "primitives":
        return lambda seed: []
    if arm == "hallways":
        made = anywhere(hallway_options())
        return lambda seed: made
    assert arm == "random-own", arm
    return lambda seed: anywhere(random_options(seed, len(found), 0.99, 100, 1e-9))


def steps_of(task, arm, arrays, spec, prefix=""):
    of = option_sets(arm, arrays, prefix)
    return [Agent(task, spec, of(seed), seed).train() for seed in spec["seeds"]]


def measures(curves, spec, window):
    """Early steps, late steps, area and share of reached episodes, by seed."""
    steps = np.array(curves, dtype=float)
    taken, returns = np.where(steps == 0, spec["limit"], steps), np.where(steps > 0, spec["gamma"] ** (steps - 1), 0)
    return {"early_steps": taken[:, :window].mean(axis=1), "late_steps": taken[:, -window:].mean(axis=1),
            "area": returns.mean(axis=1), "reached": (steps > 0).mean(axis=1)}


def interval(matrix, tests=1):
    """The mean of a matrix of runs and seeds with its interval, None without SciPy or with one value. It is at 95 %,
    or so that all intervals of that many tests hold with that probability (Bonferroni)."""
    runs, seeds = matrix.shape
    mean = matrix.mean()
    try:
        from scipy import special
    except ImportError:
        return mean, None
    means = ((runs, matrix.mean(axis=1)), (seeds, matrix.mean(axis=0)))
    parts = [(m.var(ddof=1) / n, n - 1) for n, m in means if n > 1]
    variance = sum(v for v, _ in parts)
    if not parts:
        return mean, None
    if variance == 0:
        return mean, (mean, mean)
    freedom = variance**2 / sum(v**2 / f for v, f in parts)
    half = special.stdtrit(freedom, 1 - 0.025 / tests) * np.sqrt(variance)
    return mean, (mean - half, mean + half)


def check_estimate(what, got, matrix, low=-np.inf, high=np.inf):
    mean, ends = interval(matrix)
    near(what, got["value"], mean)
    if ends is not None:
        wide = max(1, ends[1] - ends[0])  # the quantiles of two libraries agree to about 1e-9 of themselves
        near(what + ", low", got["interval_low"], min(max(ends[0], low), high), wide)
        near(what + ", high", got["interval_high"], min(max(ends[1], low), high), wide)


def check_summary(s, runs, arrays):
    spec, window, tasks = s["task"], s["window"], s["tasks"]
    names = [a["name"] for a in s["arms"]]
    prefixes = [""] if len(runs) == 1 else [r["label"] + "/" for r in runs]
    values = {m: {} for m in ("early_steps", "late_steps", "area", "reached")}  # by arm: run × task × seed
    count = 0
    for name in names:
        cells = [[measures(steps_of((t["goal"], t["start"]), name, arrays, spec, prefix), spec, window) for t in tasks]
                 for prefix in prefixes]
        for m in values:
            values[m][name] = np.array([[cell[m] for cell in row] for row in cells])
        count += values["area"][name].size * spec["episodes"]
    limits = {"early_steps": spec["limit"], "late_steps": spec["limit"], "area": 1, "reached": 1}
    for arm in s["arms"]:
        for m, limit in limits.items():
            check_estimate(f"{arm['name']}, {m}", arm[m], values[m][arm["name"]].mean(axis=1), 0, limit)
        against = arm["against"]
        if against is None:
            continue
        for m, wins in (("early_steps", "wins_early"), ("late_steps", "wins_late"), ("area", "wins_area")):
            difference = values[m]["options"] - values[m][arm["name"]]
            # Between two numbers from 0 to the limit are differences of that size at most.
            check_estimate(f"options less {arm['name']}, {m}", against[m], difference.mean(axis=1), -limits[m], limits[m])
            better = difference.mean(axis=2) * (-1 if m != "area" else 1)
            shares = ((better > 1e-12) + 0.5 * (abs(better) <= 1e-12)).mean(axis=1)
            check_estimate(f"{wins} against {arm['name']}", against[wins]["share"], shares[:, None], 0, 1)
            ends = [interval(difference[:, i], len(tasks))[1] for i in range(len(tasks))]
            if ends[0] is not None:
                # Where nothing varies there is no p-value, and nothing is settled.
                above = sum(high > low > 1e-12 for low, high in ends)
                below = sum(low < high < -1e-12 for low, high in ends)
                want = (above, below) if m == "area" else (below, above)
                got = (against[wins]["clearly_better"], against[wins]["clearly_worse"])
                assert got == want, f"{wins} against {arm['name']}: clearly {got}, want {want}"
    for i, t in enumerate(tasks):
        steps = fewest(t["goal"])
        starts = [t["start"]] if t["start"] >= 0 else [x for x in range(STATES) if x != t["goal"]]
        near("shortest", t["shortest"], steps[starts].mean())
        for arm in t["arms"]:
            for m in limits:
                near(f"task {i}, {arm['name']}, {m}", arm[m], values[m][arm["name"]][:, i].mean())
    near("bound", s["bound"]["steps"], np.mean([t["shortest"] for t in tasks]))
    return count


def near(what, got, want, scale=1):
    assert abs(got - want) <= 1e-9 * scale, f"{what}: {got}, want {want}"


arrays, report = dict(np.load(npz)), json.load(open(document))
e = report["evaluation"]
spec = e["task"]
task = (spec["goal"], spec["start"])
alone = len(e["tasks"]) == len(report["runs"]) == 1
for arm in e["arms"]:
    assert ("steps" in arm) == alone
    if alone:
        want = steps_of(task, arm["name"], arrays, spec)
        assert arm["steps"] == want, f"{arm['name']}: {arm['steps']}, want {want}"
if alone:
    steps = fewest(task[0])
    starts = [task[1]] if task[1] >= 0 else [s for s in range(STATES) if s != task[0]]
    near("return", e["bound"]["return"], (spec["gamma"] ** (steps[starts] - 1.0)).mean())
compared = check_summary(e, report["runs"], arrays)
assert compared > 0
print(f"{compared} episodes")
