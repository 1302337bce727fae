"""The fields of a spec, by the names that they have as keywords. Written by a test:
go test ./cmd/podtrack/internal/e2e/python -run PythonFields -update"""

from __future__ import annotations

from typing import Literal, TypedDict

Method = Literal["pod", "laplacian", "successor", "successor-features", "covering", "counts"]

Learner = Literal["sweeps", "exact", "empirical", "lspi", "q-learning"]


class Fields(TypedDict, total=False):
    """Fields of a spec. None stands for the default."""

    reading: Literal["as-written", "as-published", "covering-eigenoptions"] | None
    """basis and dataset together: as-written (right-singular, iteration) or as-published (rows-of-v, cumulative); or
    covering-eigenoptions, which sets method, state_set, select, sides and option_probability too."""

    bits: int | None
    """ring: the number of bits of the state."""

    hide: int | None
    """ring: the number of least significant bits that are not observed."""

    seed: int | None
    """the seed, from which all randomness of the run follows."""

    steps: int | None
    """steps in each iteration, n_R."""

    kappa: float | None
    """keep directions with σ above this."""

    gamma: float | None
    """discount of the eigenbehaviours."""

    sweeps: int | None
    """at most this many sweeps of value iteration, policy iterations of lspi, or passes of q-learning."""

    tolerance: float | None
    """values up to this count as 0: an option ends where no action is worth more."""

    basis: Literal["right-singular", "rows-of-v", "random", "posterior"] | None
    """the eigenpurposes: right-singular (rows of Vᵀ), rows-of-v, random (as many random directions), or posterior
    (drawn from N(0, (DᵀD + λI)⁻¹), with select all)."""

    dataset: Literal["iteration", "cumulative"] | None
    """the rows of D: those of the iteration alone (iteration), or of all so far (cumulative)."""

    slip: int | None
    """grid, maze: thousandths of the steps that go in a uniformly drawn direction."""

    episode: int | None
    """grid, maze, taxi: steps after which an episode is truncated, 0 for none."""

    goal: int | None
    """grid, maze: 1 if reaching the goal ends an episode."""

    map: str | None
    """grid: the map: four-rooms, i-maze, nine-rooms or open; grid:FILE is one of your own."""

    observe: Literal["one-hot", "binary", "real"] | None
    """grid, maze: the features: of each cell, of each row and column, or the row and the column as numbers: one-hot,
    binary, real."""

    size: int | None
    """maze: the cells on a side; with walls between them the map has 2·size − 1 rows and columns."""

    maze_seed: int | None
    """maze: the seed that the maze is drawn with, whatever the seed of the run."""

    kind: Literal["perfect", "braided", "spiral", "comb", "corridor", "rooms"] | None
    """maze: what is carved: perfect, braided, spiral, comb, corridor, rooms."""

    features: int | None
    """rows: the number of features, the columns of D."""

    max_option_steps: int | Literal["auto"] | None
    """truncate a call of an option after this many steps, 0 for 1000, or auto for a number that suits steps and the
    episodes; only for learners without a model."""

    state_set: Literal["all", "visited"] | None
    """states that the matrix of a method on states is over: all, or visited."""

    psi_gamma: float | None
    """discount of the successor representation, 0 for that of the eigenbehaviours."""

    psi_passes: int | None
    """learn the successor representation from each iteration's transitions in so many passes."""

    psi_part: Literal["whole", "symmetric"] | None
    """factor the successor representation as it is (whole) or its symmetric part (symmetric)."""

    feature_scale: Literal["none", "rms"] | None
    """divide the columns of D by their root mean squares (rms), and scale purposes back; or none."""

    initiation: Literal["any", "observed", "ends"] | None
    """where options can start: any (state in which an action is worth something); of lspi and q-learning observed
    (those from which the observed transitions show that they end); of covering ends (the other end of the pair)."""

    lifetime: str | None
    """how long options stay in the action set: keep (for ever), replace (until the next ones) or last=N (those of the N
    latest iterations)."""

    option_probability: float | None
    """probability that a decision draws from the available options, if there are any, rather than from the actions; 0
    draws from both alike."""

    ridge: float | None
    """λ of basis posterior."""

    behaviour: str | None
    """for how many steps the agent takes an action that it draws: uniform (one), zeta=Z (n with probability ∝ n^−Z)
    or geometric=MEAN."""

    sides: Literal["two", "one", "published"] | None
    """signs of a direction that are followed: two; published, whose entries add up to less than 0; or one, which leads
    away from where the agent often was."""

    restart: Literal["never", "iteration"] | None
    """begin in the environment's first state: never again, or in each iteration (iteration)."""

    leave_out: int | str | None
    """leave options out of the action set, by their numbers: 3, or 3+17."""
