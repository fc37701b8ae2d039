"""
Robots with closed loops: from motions of the actuated joints to all, from all efforts to theirs.

The tree is cut open at its loops, which phi(q) = 0 closes, J = dphi/dq = (J_a, J_p) with the
columns of the actuated and of the passive joints (Khalil and Dombre 2002, chapter 7; Featherstone
2008, section 8.1):

    J_p dq_p = -phi                          a step of Newton's method: the positions
    J_p qd_p = -J_a qd_a                     velocities, qd = G qd_a
    J_p qdd_p = -(d2phi/dt2 at qdd_p = 0)    accelerations
    J_p' lambda = tau_p, tau = tau_a - J_a' lambda    efforts, G' tau

One factorisation of J_p serves all. Its rows and columns are ordered so that blocks stand on the
diagonal and nothing above them; a block is solved by its adjugate, or, from 3 x 3 on, by modified
Gram-Schmidt without square roots, J_p = Q R with R of a unit diagonal, which needs no pivots and
so is text without branches. Two hinges of a rod that no other loop moves are solved apart.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np

from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.robot.loops import LoopState, State
from urdf2dyn_ros.robot.multibody import Multibody
from urdf2dyn_ros.robot.spatial import Array, Dual, Scalar, Vector, cross, reciprocal, slope, value

_NOT_SINGULAR = 0.1   # least sine of poses that are usual ones
_STEPS, _NEWTON = 6, 4   # on the way to such a pose, and of Newton's method in each

Rows = Sequence[Mapping[int, Scalar]]   # of a matrix: entries by column
RowsAndColumns = tuple[tuple[int, ...], tuple[int, ...]]   # rows and columns


class LoopConstraints:
    """The loop-closure constraints of a robot in positions of all joints of the tree (n,)."""

    def __init__(self, system: Multibody, q: Sequence[Scalar], numbers: Multibody) -> None:
        assert system.closed_loops is not None
        # `numbers` is the same robot with no expression in it
        self._system, self._numbers, self._q = system, numbers, q
        self._rows = system.closed_loops.constraints
        self.actuated, self._unknown = system.actuated, system.unknown
        loops = self._loops((q, [0.0] * len(q), [0.0] * len(q)))
        self.phi = [loops[row.loop].value(row) for row in self._rows]
        self._J = [loops[row.loop].column(row) for row in self._rows]
        self._solver = BlockTriangular(self._J, constraint_blocks(numbers))

    def _loops(self, state: State) -> list[LoopState]:
        assert self._system.closed_loops is not None
        return [LoopState(self._system, loop, state) for loop in self._system.closed_loops.loops]

    def step(self) -> list[Scalar]:
        """Return the passive positions after a step of Newton's method."""
        x = self._solver.solve([-1.0 * entry for entry in self.phi])
        return [self._q[k] + x[k] for k in self._unknown]

    def gap(self) -> Scalar:
        """Return the square of how far the loops are open [m^2]."""
        return summed(entry * entry for entry in self.phi)

    def margin(self) -> Scalar:
        """Return the square of the least sine between the columns of the passive joints."""
        return self._solver.margin(column_sizes(self._numbers))

    def rates(self, qd: Sequence[Scalar]) -> list[Scalar]:
        """Return velocities of all joints (n,) from those of the actuated ones."""
        known = dict(zip(self.actuated, qd))
        known.update(self._solver.solve([
            -1.0 * summed(row[k] * rate for k, rate in known.items() if k in row)
            for row in self._J]))
        return [known[k] for k in range(len(self._q))]

    def accelerations(self, rates: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
        """Return accelerations of all joints from all velocities and the actuated ones'."""
        known = dict(zip(self.actuated, qdd))
        loops = self._loops((self._q, rates, [0.0] * len(self._q)))
        known.update(self._solver.solve([
            -1.0 * (loops[row.loop].second_derivative(row)
                    + summed(column[k] * entry for k, entry in known.items() if k in column))
            for row, column in zip(self._rows, self._J)]))
        return [known[k] for k in range(len(self._q))]

    def reduced(self, efforts: Sequence[Scalar]) -> list[Scalar]:
        """Return G' tau: efforts of the actuated joints from those of all joints of the tree."""
        forces = self._solver.solve_transposed({k: efforts[k] for k in self._unknown})
        return [efforts[k] - summed(row[k] * force for row, force in zip(self._J, forces)
                                    if k in row) for k in self.actuated]

    def turning(self, rates: Sequence[Scalar], p: Sequence[Scalar]) -> list[Scalar]:
        """
        Return dG/dt' p for momenta of all joints (n,), an entry for each actuated joint.

        With J_p' lambda = p_p it is -lambda' dJ/dt G, and lambda' dJ/dt x is half of what the
        quadratic form lambda' d2phi/dt2, at qdd = 0, has of rates and x together.
        """
        forces = self._solver.solve_transposed({k: p[k] for k in self._unknown})

        def form(rates: Sequence[Scalar]) -> Scalar:
            loops = self._loops((self._q, rates, [0.0] * len(rates)))
            return summed(force * loops[row.loop].second_derivative(row)
                          for force, row in zip(forces, self._rows))

        alone = form(rates)
        return [0.5 * (alone + form(motion) - form([a + b for a, b in zip(rates, motion)]))
                for motion in self.motions]

    @cached_property
    def motions(self) -> list[list[Scalar]]:
        """The columns of G: velocities of all joints for a unit velocity of each motor."""
        n = len(self.actuated)
        return [self.rates([1.0 if j == k else 0.0 for j in range(n)]) for k in range(n)]


def summed(terms: Iterable[Scalar]) -> Scalar:
    """Return the sum, which has no zero in it that stays a node."""
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total


class BlockTriangular:
    """J_p, factored block by block: solutions with the columns of the passive joints."""

    def __init__(self, rows: Rows, structure: Sequence[RowsAndColumns]) -> None:
        self._rows = [{c: value(entry) for c, entry in row.items()} for row in rows]
        # of dual numbers the matrix of the values alone is factored: J x' = b' - J' x
        self._slopes = [{c: slope(entry) for c, entry in row.items() if isinstance(entry, Dual)}
                        for row in rows]
        self._blocks = [(block, _factored([[self._rows[r].get(c, 0.0) for r in block[0]]
                                           for c in block[1]])) for block in structure]

    def solve(self, right: Sequence[Scalar]) -> dict[int, Scalar]:
        """Return x of J_p x = right, by column."""
        x = self._solved([value(b) for b in right])
        rest = [slope(b) - summed(row[c] * x[c] for c in x if c in row)
                for b, row in zip(right, self._slopes)]
        if all(map(_is_zero, rest)):
            return x
        return {c: Dual.of(x[c], change) for c, change in self._solved(rest).items()}

    def solve_transposed(self, right: Mapping[int, Scalar]) -> list[Scalar]:
        """Return x of J_p' x = right, by row."""
        x = self._solved_transposed({c: value(b) for c, b in right.items()})
        rest = {c: slope(b) - summed(row[c] * entry for row, entry in zip(self._slopes, x)
                                     if c in row) for c, b in right.items()}
        if all(map(_is_zero, rest.values())):
            return x
        return [Dual.of(*pair) for pair in zip(x, self._solved_transposed(rest))]

    def _solved(self, right: Sequence[Scalar]) -> dict[int, Scalar]:
        x: dict[int, Scalar] = {}
        for (rows, columns), factors in self._blocks:
            b = [right[r] - summed([self._rows[r][c] * x[c] for c in x if c in self._rows[r]])
                 for r in rows]
            x.update(zip(columns, factors.solve(b)))
        return x

    def _solved_transposed(self, right: Mapping[int, Scalar]) -> list[Scalar]:
        x: dict[int, Scalar] = {}
        for (rows, columns), factors in reversed(self._blocks):
            b = [right[c] - summed([self._rows[r][c] * x[r] for r in x if c in self._rows[r]])
                 for c in columns]
            x.update(zip(rows, factors.solve_transposed(b)))
        return [x[r] for r in range(len(self._rows))]

    def margin(self, sizes: Mapping[int, float]) -> Scalar:
        """Return the least square of a sine, relative to usual sizes of the columns."""
        parts = [part for (_, columns), factors in self._blocks
                 for part in factors.margins([1.0 / sizes[c]**2 for c in columns])]
        least = parts[0]
        for part in parts[1:]:
            least = 0.5 * (least + part - abs(least - part))
        return least


class _Adjugate:
    """A block of one or two columns."""

    def __init__(self, columns: Sequence[Sequence[Scalar]]) -> None:
        self._a = columns
        self._det = (columns[0][0] if len(columns) == 1 else
                     columns[0][0] * columns[1][1] - columns[1][0] * columns[0][1])
        self._inverse = reciprocal(self._det)

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        if len(b) == 1:
            return [b[0] * self._inverse]
        (a, c), (b_, d) = self._a
        return [(d * b[0] - b_ * b[1]) * self._inverse, (a * b[1] - c * b[0]) * self._inverse]

    def solve_transposed(self, b: Sequence[Scalar]) -> list[Scalar]:
        if len(b) == 1:
            return [b[0] * self._inverse]
        (a, c), (b_, d) = self._a
        return [(d * b[0] - c * b[1]) * self._inverse, (a * b[1] - b_ * b[0]) * self._inverse]

    def margins(self, scales: Sequence[float]) -> list[Scalar]:
        product = 1.0
        for scale in scales:
            product *= scale
        return [self._det * self._det * product]


class _GramSchmidt:
    """
    A block of columns A = Q R, with Q' W Q = D diagonal and R of a unit diagonal.

    W is diagonal, by default 1: weights of the rows.
    """

    def __init__(self, columns: Sequence[Sequence[Scalar]],
                 weights: Sequence[Scalar] = ()) -> None:
        n = len(columns)
        self._R: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
        self.Q: list[list[Scalar]] = []
        self._WQ: list[list[Scalar]] = []
        self._D: list[Scalar] = []
        self.inverse: list[Scalar] = []
        for j, column in enumerate(columns):
            v = list(column)
            for i in range(j):
                self._R[i][j] = r = dotted(self._WQ[i], v) * self.inverse[i]
                v = _less(v, r, self.Q[i])
            self.Q.append(v)
            self._WQ.append([w if _is_zero(w) else w * k for w, k in zip(v, weights)]
                            if weights else v)
            self._D.append(dotted(v, self._WQ[j]))
            self.inverse.append(reciprocal(self._D[-1]))

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        y = []
        for q, wq, inverse in zip(self.Q, self._WQ, self.inverse):
            y.append(dotted(wq, b) * inverse)
            b = _less(b, y[-1], q)
        for i in reversed(range(len(y))):
            y[i] = y[i] - dotted(self._R[i][i + 1:], y[i + 1:])
        return y

    def solve_transposed(self, b: Sequence[Scalar]) -> list[Scalar]:
        z: list[Scalar] = []
        for j in range(len(b)):
            z.append(b[j] - dotted([self._R[i][j] for i in range(j)], z))
        x: list[Scalar] = [0.0] * len(self.Q[0])
        for wq, inverse, entry in zip(self._WQ, self.inverse, z):
            x = _less(x, -1.0 * (entry * inverse), wq)
        return x

    def margins(self, scales: Sequence[float]) -> list[Scalar]:
        return [square * scale for square, scale in zip(self._D, scales)]


class _Condensed:
    """
    A block with pairs of columns that are in three rows alone, as of the hinges of a rod.

    What the normal of a pair has of the other columns is solved first, in the place of three rows
    each: it is all that Gram-Schmidt leaves of these rows.
    """

    def __init__(self, columns: Sequence[Sequence[Scalar]],
                 pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
        self._pairs = [(rows, own, _GramSchmidt([[columns[c][r] for r in rows] for c in own]))
                       for rows, own in pairs]
        of_pairs = {r for rows, _ in pairs for r in rows}
        self._others = [r for r in range(len(columns)) if r not in of_pairs]
        self._rest = [c for c in range(len(columns)) if all(c not in own for _, own in pairs)]
        self._columns = columns
        # of length 1 with the weight 1 / n^2 = 1 / (D_1 D_2)
        self._normals = [cross(*(Vector(*q) for q in pair.Q)) for _, _, pair in self._pairs]
        self._inner = _GramSchmidt(
            [self._along(columns[c]) for c in self._rest],
            [*(pair.inverse[0] * pair.inverse[1] for _, _, pair in self._pairs),
             *[1.0] * len(self._others)])

    def _along(self, b: Sequence[Scalar]) -> list[Scalar]:
        """Return what normals of pairs have of a column, and what it has in other rows."""
        return [*(dotted(normal, [b[r] for r in rows])
                  for normal, (rows, _, _) in zip(self._normals, self._pairs)),
                *(b[r] for r in self._others)]

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        x: list[Scalar] = [0.0] * len(b)
        for c, entry in zip(self._rest, self._inner.solve(self._along(b))):
            x[c], b = entry, _less(b, entry, self._columns[c])
        for rows, own, pair in self._pairs:
            for c, entry in zip(own, pair.solve([b[r] for r in rows])):
                x[c] = entry
        return x

    def solve_transposed(self, b: Sequence[Scalar]) -> list[Scalar]:
        x: list[Scalar] = [0.0] * len(b)
        for rows, own, pair in self._pairs:
            for r, entry in zip(rows, pair.solve_transposed([b[c] for c in own])):
                x[r] = entry
        z = self._inner.solve_transposed(
            [b[c] - dotted(self._columns[c], x) for c in self._rest])
        for normal, (rows, _, _), entry in zip(self._normals, self._pairs, z):
            for r, part in zip(rows, normal):
                x[r] = x[r] if _is_zero(part) else x[r] + part * entry
        for r, entry in zip(self._others, z[len(self._pairs):]):
            x[r] = entry
        return x

    def margins(self, scales: Sequence[float]) -> list[Scalar]:
        return [*self._inner.margins([scales[c] for c in self._rest]),
                *(part for _, own, pair in self._pairs
                  for part in pair.margins([scales[c] for c in own]))]


def _factored(columns: Sequence[Sequence[Scalar]]) -> _Adjugate | _GramSchmidt | _Condensed:
    if len(columns) < 3:
        return _Adjugate(columns)
    entries = [{r for r, entry in enumerate(column) if not _is_zero(entry)} for column in columns]
    pairs = [(rows, tuple(c for c, some in enumerate(entries) if some <= {*rows}))
             for rows in dict.fromkeys(tuple(sorted(some)) for some in entries) if len(rows) == 3]
    pairs = [(rows, own) for rows, own in pairs if len(own) == 2]
    apart = len({r for rows, _ in pairs for r in rows}) == 3 * len(pairs)
    return (_Condensed(columns, pairs) if pairs and apart and 2 * len(pairs) < len(columns)
            else _GramSchmidt(columns))


def dotted(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Return a . b, where entries that are zero are not even multiplied."""
    return summed([x * y for x, y in zip(a, b) if not (_is_zero(x) or _is_zero(y))])


def _less(a: Sequence[Scalar], k: Scalar, b: Sequence[Scalar]) -> list[Scalar]:
    return [x if _is_zero(y) or _is_zero(k) else x - k * y for x, y in zip(a, b)]


def _is_zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0


# ---- The structure of a robot's loops

@lru_cache(maxsize=16)
def constraint_blocks(system: Multibody) -> tuple[RowsAndColumns, ...]:
    """Return rows and columns of the diagonal blocks, so that each needs those before it alone."""
    closed_loops = system.closed_loops
    assert closed_loops is not None
    q = [0.3 + 0.7 * ((0.618 * k) % 1.0) for k in range(len(system.joint_names))]   # any pose
    pattern = [set(row).intersection(system.unknown) for row in _numbers(system, q)]
    row_of: dict[int, int] = {}   # of each column

    def assign(r: int, seen: set[int]) -> bool:
        for c in sorted(pattern[r] - seen):
            seen.add(c)
            if c not in row_of or assign(row_of[c], seen):
                row_of[c] = r
                return True
        return False

    if not all(assign(r, set()) for r in range(len(pattern))):
        raise StateError('the loops of this robot do not determine its passive joints')
    # strongly connected columns: those whose rows need each other
    reach: dict[int, set[int]] = {}
    for c in row_of:
        reached, waiting = {c}, [c]
        while waiting:
            new = pattern[row_of[waiting.pop()]] - reached
            reached |= new
            waiting += new
        reach[c] = reached
    groups: dict[frozenset[int], list[int]] = {}
    for c in sorted(row_of):
        groups.setdefault(frozenset(d for d in reach[c] if c in reach[d]), []).append(c)
    ordered = sorted(groups.values(), key=lambda columns: (len(reach[columns[0]]), columns))
    result = []
    for columns in ordered:
        rows = sorted(row_of[c] for c in columns)
        # those with the fewest entries first, in any pose: the margin depends on the order
        columns.sort(key=lambda c: sum(c in pattern[r] for r in rows))
        result.append((tuple(rows), tuple(columns)))
    return tuple(result)


@lru_cache(maxsize=16)
def column_sizes(system: Multibody) -> dict[int, float]:
    """Return the size of each passive joint's column in its block where the robot starts."""
    assert system.closed_loops is not None
    start = dict(system.closed_loops.start)
    J = _numbers(system, [start[name] for name in system.joint_names])
    sizes = {c: sum(J[r].get(c, 0.0)**2 for r in rows)**0.5
             for rows, columns in constraint_blocks(system) for c in columns}
    largest = max(sizes.values())
    return {c: size if size > 1e-3 * largest else largest for c, size in sizes.items()}


def _numbers(system: Multibody, q: Sequence[float]) -> list[dict[int, float]]:
    closed_loops, rest = system.closed_loops, [0.0] * len(q)
    assert closed_loops is not None
    loops = [LoopState(system, loop, (q, rest, rest)) for loop in closed_loops.loops]
    return [loops[row.loop].column(row) for row in closed_loops.constraints]


def passive_start(system: Multibody) -> tuple[float, ...]:
    """Return the passive positions where the robot starts; none without closed loops."""
    start = dict(system.closed_loops.start) if system.closed_loops else {}
    return tuple(start[system.joint_names[k]] for k in system.unknown)


def closed_poses(system: Multibody, moves: Array) -> Array:
    """
    Return closed poses (n, N) of all joints: from the start by moves (a, N) of the actuated ones.

    Towards a singular pose, or where the loops do not close, they end on the way.
    """
    assert system.closed_loops is not None
    start, N = dict(system.closed_loops.start), moves.shape[1]
    q = np.tile([[start[name]] for name in system.joint_names], N)
    actuated, unknown = [*system.actuated], [*system.unknown]
    way, step = np.zeros(N), np.full(N, 0.25)
    for _ in range(_STEPS):
        share = np.minimum(step, 1.0 - way)
        trial = q.copy()
        trial[actuated] += share * moves
        with np.errstate(all='ignore'):
            for _ in range(_NEWTON):
                closure = LoopConstraints(system, [*trial], system)
                trial[unknown] = closure.step()
        good = (closure.gap() < 1e-12) & (closure.margin() > _NOT_SINGULAR**2) & (way < 1.0)
        q[:, good] = trial[:, good]
        way, step = way + share * good, np.where(good, step, 0.5 * step)
    q[unknown] = LoopConstraints(system, [*q], system).step()   # to the last digits
    return q


def closed_states(system: Multibody, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """Return q, qd and qdd of all joints (3, n, N) from closed q (n, N), and G' (a, n, N)."""
    closure, like = LoopConstraints(system, [*q], system), np.zeros(q.shape[1])
    rates = closure.rates([*qd])
    return (np.array([[entry + like for entry in part] for part in (
        q, rates, closure.accelerations(rates, [*qdd]))]),
        np.array([[entry + like for entry in motion] for motion in closure.motions]))
