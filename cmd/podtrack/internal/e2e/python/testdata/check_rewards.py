"""Learns what podtrack evaluate --task reward --json learned again, by its own means, from the exported steps and
rewards, and compares: steps and returns of all episodes exactly, means to 1e-9 and, where SciPy is, intervals to
1e-9 of their width. Arguments: an npz file of the run, the JSON, the folder of stream.py, the most steps of a call.

What is in the model, and what an agent does, is written here from schema/FORMAT.md, not from podtrack's code."""
import json
import sys

import numpy as np

npz, document, streams, longest = sys.argv[1:]
sys.path.insert(0, streams)
import stream  # noqa: E402

EXPLORE = 2**31 - 1


def observe(arrays, iterations):
    """The recorded transitions (state, action, next state, terminated) with their count and mean reward, how often
    episodes began in each state, and the longest episode that was truncated."""
    counts, means, starts, cut = {}, {}, {}, 0
    for k in range(iterations):
        states, actions, rewards = (arrays[f"{k}/{name}"].tolist() for name in ("state", "action", "reward"))
        begins = {int(step): (int(state), bool(over)) for step, state, over in arrays[f"{k}/episode"]}
        s, length = states[0], 0
        starts[s] = starts.get(s, 0) + 1
        for i, (a, r) in enumerate(zip(actions, rewards)):
            start, over = begins.get(i + 1, (None, False))
            key = (s, a, states[i + 1], over)
            n = counts[key] = counts.get(key, 0) + 1
            means[key] = means.get(key, 0.0) + (r - means.get(key, 0.0)) / n
            s, length = states[i + 1], length + 1
            if start is not None:
                cut = cut if over else max(cut, length)
                s, length = start, 0
                starts[s] = starts.get(s, 0) + 1
    return counts, means, starts, cut


def closed(counts):
    """The transitions that end an episode or lead to a state that another one of them leaves."""
    kept = set(counts)
    while True:
        left = {key[0] for key in kept}
        further = {key for key in kept if key[3] or key[2] in left}
        if further == kept:
            return kept
        kept = further


arrays, report = np.load(npz), json.load(open(document))["evaluation"]
spec = report["task"]
counts, means, starts, cut = observe(arrays, report["k"] + 1)
kept = closed(counts)
STATES = arrays[f"{report['k']}/policy"].shape[1]
ACTIONS = 1 + max(key[1] for key in counts)
leads = {}
for key in sorted(kept):
    leads.setdefault(key[:2], []).append((counts[key], means[key], key[2], key[3]))
tried = [[a for a in range(ACTIONS) if (s, a) in leads] for s in range(STATES)]
begins = [(s, n) for s, n in sorted(starts.items()) if tried[s]]


def draw(below, weighted):
    """One of the pairs by its first number's weight; no draw if there is one alone."""
    if len(weighted) == 1:
        return weighted[0]
    at = below(sum(x[0] for x in weighted))
    for x in weighted:
        if at < x[0]:
            return x
        at -= x[0]
    raise AssertionError


class Agent:
    def __init__(self, options, seed):
        self.options, self.below = options, stream.podtrack(seed, 0, b"practice")
        self.published = spec["algorithm"] == "published"
        self.q = np.zeros((STATES, ACTIONS + len(options)))
        self.known = np.zeros(self.q.shape, dtype=bool)
        self.here = [tried[s] + [ACTIONS + i for i, p in enumerate(options) if p[s] in tried[s]] for s in range(STATES)]
        self.mine = tried if self.published else self.here

    def first(self):
        if spec["start"] >= 0:
            return spec["start"]
        return draw(self.below, [(n, s) for s, n in begins])[1]

    def action(self, choice, s):
        return choice if choice < ACTIONS else self.options[choice - ACTIONS][s]

    def step(self, s, a):
        return draw(self.below, leads[s, a])[1:]

    def greedy(self, s, epsilon):
        if self.below(EXPLORE) < int(epsilon * EXPLORE):
            return self.mine[s][self.below(len(self.mine[s]))]
        values = self.q[s][self.mine[s]]
        best = [c for c, v in zip(self.mine[s], values) if v == values.max()]
        return best[0] if len(best) == 1 else best[self.below(len(best))]

    def best(self, s):
        return self.q[s][self.mine[s]].max()

    def worth(self, r, s, over, value=None):
        return r if over else r + spec["gamma"] * (self.best(s) if value is None else value)

    def learn(self, s, choice, target):
        self.known[s, choice] = True
        self.q[s, choice] += spec["alpha"] * (target - self.q[s, choice])

    def within(self, s, a, r, into, over):
        best = 0.0 if over else self.best(into)
        for choice in self.here[s]:
            if self.action(choice, s) == a:
                own = choice >= ACTIONS and not spec["interrupt"] and choice in self.here[into]
                self.learn(s, choice, self.worth(r, into, over, self.q[into][choice] if own else best))

    def leaves(self, choice, s, calls):
        if choice < ACTIONS or choice not in self.here[s] or calls == int(longest):
            return True
        return spec["interrupt"] and self.known[s, choice] and self.q[s, choice] < self.best(s)

    def episode(self, epsilon):
        s, steps, earned, over = self.first(), 0, 0.0, False
        while not over and steps < spec["limit"]:
            choice = self.here[s][self.below(len(self.here[s]))] if self.published else self.greedy(s, epsilon)
            begun, call, passed = s, [], []
            while True:
                before, a = s, self.action(choice, s)
                r, s, over = self.step(s, a)
                steps, earned = steps + 1, earned + r
                call.append(r)
                if self.published:
                    self.learn(before, a, self.worth(r, s, over))
                elif spec["algorithm"] == "intra-option":
                    self.within(before, a, r, s, over)
                if over or steps == spec["limit"] or self.leaves(choice, s, len(call)):
                    break
                passed.append((s, r))
            if spec["algorithm"] == "smdp":
                value, sum_, discount = self.worth(call[-1], s, over), 0.0, 1.0
                for r in call[:-1]:
                    sum_, discount = sum_ + discount * r, discount * spec["gamma"]
                target = sum_ + discount * value
                if spec["interrupt"]:
                    for at, r in reversed(passed):
                        self.learn(at, choice, value)
                        value = r + spec["gamma"] * value
                self.learn(begun, choice, target)
        return (steps if over else 0), earned

    def scored(self, epsilon):
        s, steps, earned, over = self.first(), 0, 0.0, False
        while not over and steps < spec["limit"]:
            r, s, over = self.step(s, self.greedy(s, epsilon))
            steps, earned = steps + 1, earned + r
        return (steps if over else 0), earned

    def train(self):
        n = spec["episodes"]
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


def best_return():
    """The largest expected return within the limit, by backward induction."""
    v = np.zeros(STATES)
    for _ in range(spec["limit"]):
        q = {edge: sum(n * (r + (0 if over else v[s])) for n, r, s, over in all_) / sum(x[0] for x in all_)
             for edge, all_ in leads.items()}
        v = np.array([max([q[s, a] for a in tried[s]], default=0.0) for s in range(STATES)])
    if spec["start"] >= 0:
        return v[spec["start"]]
    return sum(n * v[s] for s, n in begins) / sum(n for _, n in begins)


def near(what, got, want, scale=1):
    assert abs(got - want) <= 1e-9 * max(scale, abs(want)), f"{what}: {got}, want {want}"


def check_estimate(what, got, values, low=-np.inf, high=np.inf):
    near(what, got["value"], values.mean())
    try:
        from scipy import stats
    except ImportError:
        return
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    scale = max(1, 2 * half)
    near(what + ", low", got["interval_low"], min(max(values.mean() - half, low), high), scale)
    near(what + ", high", got["interval_high"], min(max(values.mean() + half, low), high), scale)


found = [p.tolist() for p in arrays[f"{report['k']}/policy"] if (p >= 0).any()]
early, late = slice(0, report["window"]), slice(-report["window"], None)
results, compared = {}, 0
for arm in report["arms"]:
    options = {"options": found, "primitives": []}[arm["name"]]
    curves = np.array([Agent(options, seed).train() for seed in spec["seeds"]])
    steps, returns = curves[:, :, 0], curves[:, :, 1]
    assert arm["steps"] == steps.astype(int).tolist(), f"{arm['name']}: steps {arm['steps']}, want {steps.tolist()}"
    assert arm["returns"] == returns.tolist(), f"{arm['name']}: returns {arm['returns']}, want {returns.tolist()}"
    taken = np.where(steps == 0, spec["limit"], steps)
    mine = {"early_return": returns[:, early], "late_return": returns[:, late], "area": returns}
    mine = {name: x.mean(axis=1) for name, x in mine.items()}
    for name, values in mine.items():
        check_estimate(f"{arm['name']}, {name}", arm[name], values)
    check_estimate("early steps", arm["early_steps"], taken[:, early].mean(axis=1), 0, spec["limit"])
    check_estimate("late steps", arm["late_steps"], taken[:, late].mean(axis=1), 0, spec["limit"])
    check_estimate("reached", arm["reached"], (steps > 0).mean(axis=1), 0, 1)
    results[len(results)] = mine
    compared += returns.size
    if arm["name"] == "options":
        assert arm["difference"] is None and "against" not in arm
        continue
    for name, wins in (("early_return", "wins_early"), ("late_return", "wins_late"), ("area", "wins_area")):
        difference = results[0][name] - mine[name]
        check_estimate(f"options less {arm['name']}, {name}", arm["against"][name], difference)
        close = abs(difference) <= 1e-12
        check_estimate(wins, arm["against"][wins], np.where(close, 0.5, difference > 0), 0, 1)
    near("difference", arm["difference"]["value"], (results[0]["area"] - mine["area"]).mean())
r = report["rewards"]
assert (r["transitions"], r["left_out"], r["starts"]) == (len(counts), len(counts) - len(kept), len(begins)), r
near("best return", r["best_return"], best_return())
if cut:
    assert spec["limit"] == cut, f"limit {spec['limit']}, truncated after {cut}"
assert compared > 0
print(f"{compared} episodes, returns from {min(x['area'].min() for x in results.values()):.3f}")
