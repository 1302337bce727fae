"""Computes the methods that factor a matrix of their own again, with numpy alone, from the transitions that an export
has: check_methods.py FILE. Each run's method, discount and learner are those that the file's description has. The
matrix, its singular values, the purposes and the options must agree to 1e-9; where singular values tie, a purpose must
lie in the span of their vectors."""
import json
import sys

import numpy as np

from ring import features

EPS, ALPHA = 1e-9, 0.1
z = dict(np.load(sys.argv[1]))
about = json.loads(bytes(z["podtrack.json"]))
checks = 0


def close(a, b, scale=1.0):
    return a.shape == b.shape and np.all(np.abs(a - b) <= EPS * max(scale, 1))


class Run:
    def __init__(self, prefix, spec):
        self.prefix, self.spec = prefix, spec
        self.method, self.visited = spec["method"], spec.get("state_set") == "visited"
        self.gamma = spec["gamma"]
        self.psi_gamma = spec.get("psi_gamma", 0) or self.gamma
        self.cumulative = spec["dataset"] == "cumulative"
        self.top = int(spec["select"].split("=")[1])
        self.phi = None
        if spec["env"]["name"] == "ring":
            self.phi = features(spec["env"]["params"]["bits"], spec["env"]["params"]["hide"])
        self.pairs, self.walks, self.k = [], [], 0

    def check(self, so, what):
        global checks
        checks += 1
        if not so:
            sys.exit(f"{self.prefix}{self.k}: {self.method}: {what}")

    def array(self, name):
        return z[f"{self.prefix}{self.k}/{name}"]

    def has(self, name):
        return f"{self.prefix}{self.k}/{name}" in z

    def transitions(self):
        """The iteration's (state, action, next, terminated, begins), from its states and episodes."""
        s, actions = self.array("state"), self.array("action")
        episodes = {int(t): (int(first), bool(over)) for t, first, over in self.array("episode")} if self.has("episode") else {}
        at, begins = int(s[0]), True
        for t, a in enumerate(actions):
            terminated, following = False, int(s[t + 1])
            at_next = following
            if t + 1 in episodes:
                at_next, terminated = episodes[t + 1]
            yield at, int(a), following, terminated, begins
            at, begins = at_next, t + 1 in episodes

    def matrix(self):
        """D as the method defines it, and the states of its columns."""
        moves = [m for walk in self.walks for m in walk]
        touched = sorted({s for m in moves for s in (m[0], m[2])})
        states = self.array("eigenpurpose").shape[1]
        columns = touched if self.visited or self.method == "successor-features" else list(range(states))
        at = {s: i for i, s in enumerate(columns)}
        n = len(columns)
        if self.method in ("laplacian", "covering"):
            a = np.zeros((n, n))
            for s, _, t, _, _ in moves:
                if s != t:
                    a[at[s], at[t]] = a[at[t], at[s]] = 1
            for s, t in self.pairs:
                a[at[s], at[t]] = a[at[t], at[s]] = 1
            degree = a.sum(axis=1)
            if self.method == "laplacian":
                root = np.sqrt(np.where(degree > 0, degree, 1))
                d = np.diag((degree > 0).astype(float)) + a / root[:, None] / root
                return d[degree > 0], columns
            return self.covering(a, degree), columns
        if self.method == "successor":
            psi, left = np.zeros((n, n)), set()
            for s, _, t, over, _ in self.passes():
                follows = np.eye(n)[at[t]] if over else psi[at[t]]
                left.add(s)
                psi[at[s]] = psi[at[s]] + ALPHA * (np.eye(n)[at[s]] + self.psi_gamma * follows - psi[at[s]])
            if self.spec.get("psi_part") == "symmetric":
                inside = [at[s] for s in touched]
                return ((psi + psi.T) / 2)[inside], columns
            return psi[[at[s] for s in sorted(left)]], columns
        if self.method == "counts":
            visits = np.zeros(n)
            for s, _, t, _, begins in moves:
                visits[at[s]] += begins
                visits[at[t]] += 1
            return np.where(visits > 0, 1 / np.sqrt(np.maximum(visits, 1)), 0)[None, :], columns
        phi = self.phi
        w, left = np.zeros((phi.shape[1],) * 2), {}
        for s, _, t, over, _ in self.passes():
            here, follows = phi[s] @ w, phi[t] if over else phi[t] @ w
            left[tuple(phi[s])] = s
            rate = ALPHA / max(1, phi[s] @ phi[s])
            w = w + rate * np.outer(phi[s], phi[s] + self.psi_gamma * follows - here)
        return np.stack([phi[s] @ w for s in left.values()]), None

    def passes(self):
        """The transitions in the order in which a successor representation learns from them."""
        return [m for walk in self.walks for _ in range(self.spec.get("psi_passes", 1)) for m in walk]

    def covering(self, a, degree):
        """c (I − 11ᵀ/n) − L of the largest component, whose first direction is the Fiedler vector."""
        best, seen = [], set()
        for s in range(len(a)):
            component, todo = [], [s]
            while todo:
                at = todo.pop()
                if at not in seen:
                    seen.add(at)
                    component.append(at)
                    todo += list(np.flatnonzero(a[at]))
            best = component if len(component) > len(best) else best
        best = sorted(best)
        part, c = np.ix_(best, best), 1 + 2 * degree[best].max()
        self.laplacian, self.component = np.diag(degree[best]) - a[part], best
        d = np.zeros_like(a)
        d[part] = c * (np.eye(len(best)) - 1 / len(best)) - self.laplacian
        return d[best]

    def check_factors(self, d, columns):
        if columns is not None and self.visited:
            self.check(np.array_equal(self.array("column"), columns), "the states of the columns")
        rows, counts = np.unique(np.round(d, 13), axis=0, return_counts=True)
        own = np.repeat(self.array("rows"), self.array("counts"), axis=0)
        self.check(len(own) == len(d), f"{len(own)} rows, want {len(d)}")
        order = lambda m: m[np.lexsort(np.round(m, 9).T[::-1])]
        self.check(close(order(own), order(d), np.abs(d).max()), "the matrix")
        _, sigma, vt = np.linalg.svd(d)
        sigma = np.append(sigma, np.zeros(d.shape[1] - len(sigma)))
        self.check(close(self.array("S"), sigma, sigma[0]), "singular values")
        return sigma, vt

    def check_purposes(self, sigma, vt, columns):
        purposes = self.array("eigenpurpose")
        kept = min(self.top, int((sigma > EPS).sum()))
        sides = 2 if self.spec.get("sides", "two") == "two" else 1
        self.check(len(purposes) == sides * kept, f"{len(purposes)} purposes, want {sides * kept}")
        inside = np.arange(purposes.shape[1]) if columns is None else np.array(columns)
        outside = np.setdiff1d(np.arange(purposes.shape[1]), inside)
        self.check(not purposes[:, outside].any(), "a purpose is not 0 beyond the columns")
        if self.method == "covering":
            return self.check_pair(purposes, columns)
        for j in range(kept):
            plus, minus = purposes[sides * j][inside], -purposes[sides * j + sides - 1][inside]
            self.check(np.array_equal(plus, minus if sides == 2 else -minus), "signs")
            self.check(sides == 2 or purposes[j] @ self.contrast() < EPS, "a side leads to where the agent often was")
            tied = np.abs(sigma - sigma[j]) < 1e-6 * sigma[0]
            span = vt[tied]
            self.check(abs(plus @ plus - 1) < EPS, "the length of a purpose")
            off = plus - span.T @ (span @ plus)
            gap = np.abs(sigma[~tied] - sigma[j]).min() if (~tied).any() else sigma[0]
            self.check(np.abs(off).max() < EPS * max(1, 1e-4 * sigma[0] / gap), f"direction {j + 1}: {np.abs(off).max()}")

    def contrast(self):
        """What signs depend on: the mean of φ over the iteration's visits, less that over the distinct states visited."""
        if self.spec["sides"] == "published":
            return np.ones(self.array("eigenpurpose").shape[1])
        visited = np.append(self.array("state"), self.array("episode")[:, 1] if self.has("episode") else [])
        states = self.array("eigenpurpose").shape[1]
        phi = self.phi if self.method == "successor-features" else np.eye(states)
        visited = visited.astype(int)
        return phi[visited].mean(axis=0) - phi[np.unique(visited)].mean(axis=0)

    def check_pair(self, purposes, columns):
        values, vectors = np.linalg.eigh(self.laplacian)
        ends = [int(np.argmax(p)) for p in purposes]
        self.check(all(p.sum() == 1 and p.max() == 1 for p in purposes), "a purpose is not the indicator of a state")
        if values[2] - values[1] > 1e-6:  # or else any vector of the span may be it
            fiedler = np.zeros(len(columns))
            fiedler[self.component] = vectors[:, 1]
            slack = 2.0**-20 * np.abs(fiedler).max()
            want = {columns[int(np.flatnonzero(x >= x.max() - slack)[0])] for x in (fiedler, -fiedler)}
            self.check(set(ends) == want, f"the pair {ends}, want {want}")
        if self.cumulative:
            self.pairs.append(tuple(ends))

    def check_options(self):
        """Values by sweeps over the ring, or the transitions that were observed."""
        states, actions = self.array("q").shape[1:]
        p, reward_of = {}, {}
        if self.spec["learner"] == "empirical":
            counts = {}
            for s, a, t, over, _ in (m for walk in self.walks for m in walk):
                counts.setdefault((s, a), {}).setdefault((t, over), 0)
                counts[s, a][t, over] += 1
            outcomes = {key: [(t, over, n / sum(x.values())) for (t, over), n in x.items()] for key, x in counts.items()}
        else:
            outcomes = {(s, a): [((s + 2 * a - 1) % states, False, 1.0)] for s in range(states) for a in range(actions)}
        edges = [(s, a, t, 0.0 if over else 1.0, q) for (s, a), x in outcomes.items() for t, over, q in x]
        s, a, t, goes, q = (np.array(x) for x in zip(*edges))
        for i, e in enumerate(self.array("eigenpurpose")):
            w = self.phi @ e if self.method == "successor-features" else np.append(e, np.zeros(states - len(e)))

            def backup(v):
                parts = q * (w[t] - w[s] + self.gamma * goes * v[t])
                return np.bincount(s * actions + a, parts, states * actions).reshape(states, actions)

            v = np.zeros(states)
            for _ in range(self.spec["sweeps"]):
                v = np.maximum(0, backup(v).max(axis=1))
            want, best = backup(v), backup(v).max(axis=1)
            self.check(close(self.array("value")[i], v), f"values of purpose {i}")
            self.check(close(self.array("q")[i], want), f"q of purpose {i}")
            starts, policy = self.array("initiation")[i], self.array("policy")[i]
            clear = np.abs(best - self.spec["tolerance"]) > EPS
            self.check(np.array_equal(starts[clear], (best > self.spec["tolerance"])[clear]), f"I of purpose {i}")
            taken = want[np.arange(states), np.maximum(policy, 0)]
            self.check(np.all(taken[starts] >= best[starts] - EPS), f"the policy of purpose {i}")

    def iterate(self):
        while self.has("state"):
            if self.has("observation") and self.method == "successor-features":
                new = self.array("observation")
                self.phi = new if self.phi is None or self.k == 0 else np.vstack([self.phi, new])
            own = list(self.transitions())
            self.walks = self.walks + [own] if self.cumulative else [own]
            d, columns = self.matrix()
            sigma, vt = self.check_factors(d, columns)
            self.check_purposes(sigma, vt, columns)
            self.check_options()
            self.k += 1
        return self.k


iterations = 0
for r in about["runs"]:
    spec = {k: r[k] for k in r if k != "spec"} | (r["spec"] if "spec" in r else {})
    iterations += Run(r["prefix"], spec).iterate()
print(len(about["runs"]), "runs,", iterations, "iterations,", checks, "checks")
