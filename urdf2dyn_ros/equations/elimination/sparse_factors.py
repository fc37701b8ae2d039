"""
M = L' D L of a symmetric matrix, tips to root, and the solution of M x = b with it.

Joints of different branches do not move the same links, so their entry of the mass matrix is zero.
If the last row is eliminated first, L has the zeros of M: no entry appears where there was none
(Featherstone 2005, Efficient Factorization of the Joint-Space Inertia Matrix for Branched
Kinematic Trees). The zeros are found in the matrix itself, so that those of joints that follow
others in another branch, and of axes at right angles, are used as well.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar, reciprocal

RowNote = Callable[[int, str, Sequence[tuple[int, Scalar]]], None]
"""Called with a row's number, a symbol, and the columns with their entries."""


class Factors(NamedTuple):
    """
    M = L' D L: L has ones on the diagonal, and zeros to the right of it.

    `rows` has for each row of L the entries left of the diagonal that are not zero, by column;
    `rests` the same before they are divided by the pivot; `inverses` are those of the entries of
    D; `behind` has for each column of L the rows of its entries, from the last. The `first` rows
    are not eliminated.
    """

    rows: list[dict[int, Scalar]]
    rests: list[dict[int, Scalar]]
    inverses: list[Scalar]
    behind: list[list[int]]
    first: int = 0


def _unnoted(row: int, symbol: str, entries: Sequence[tuple[int, Scalar]]) -> None:
    """Note nothing."""


def factors(M: Sequence[Sequence[Scalar]], note: RowNote, first: int = 0) -> Factors:
    """
    Return the factors of a symmetric positive definite matrix (n, n).

    The `first` rows are not eliminated, and their entries of M not read.

    For each row k, from the last to the first, `note` is called with the rest of M's row behind
    which all joints are eliminated (`r`), the inverse of its last entry, the pivot (`id`), and the
    row of L (`l`).
    """
    n = len(M)
    rests: list[dict[int, Scalar]] = [{} for _ in M]
    rows: list[dict[int, Scalar]] = [{} for _ in M]
    inverses: list[Scalar] = [0.0] * n
    behind: list[list[int]] = [[] for _ in M]
    for k in reversed(range(first, n)):
        rest = {j: M[k][j] for j in reversed(range(k + 1)) if not _is_zero(M[k][j])}
        for m in behind[k]:
            for j, entry in rests[m].items():
                if j <= k:
                    rest[j] = rest.get(j, 0.0) - rows[m][k] * entry
        note(k, 'r', [*rest.items()])
        pivot = rest.pop(k)
        inverses[k] = reciprocal(pivot)
        note(k, 'id', [(k, inverses[k])])
        rests[k] = rest
        rows[k] = {j: _ratio(entry, pivot, inverses[k]) for j, entry in rest.items()}
        note(k, 'l', [*rows[k].items()])
        for j in rest:
            behind[j].append(k)
    return Factors(rows, rests, inverses, behind, first)


def solved(known: Factors, b: Sequence[Scalar], note: RowNote) -> list[Scalar]:
    """Return x of L' D L x = b, where `note` is called with L'^-1 b (`e`) and x (`x`)."""
    return substituted(known, reduced(known, b, note), (), note)


def reduced(known: Factors, b: Sequence[Scalar], note: RowNote) -> list[Scalar]:
    """Return L'^-1 b, as far as rows are eliminated; `note` is called with its entries (`e`)."""
    e = list(b)
    for k in reversed(range(len(e))):
        for m in known.behind[k]:
            e[k] = e[k] - known.rows[m][k] * e[m]
        if k >= known.first:
            note(k, 'e', [(k, e[k])])
    return e


def substituted(known: Factors, e: Sequence[Scalar], first: Sequence[Scalar],
                note: RowNote = _unnoted) -> list[Scalar]:
    """Return x of D L x = e from its first entries; `note` is called with the others (`x`)."""
    x = list(first)
    for k in range(len(x), len(e)):
        row = known.rows[k]
        x.append(e[k] * known.inverses[k])
        for j in sorted(row, key=lambda j: (is_one(row[j]), j)):
            x[k] = x[k] - row[j] * x[j]
        note(k, 'x', [(k, x[k])])
    return x


def inverse(known: Factors) -> list[list[Scalar]]:
    """
    Return the inverse of L' D L, (n, n), symmetric.

    L times it is D^-1 L'^-1, which has zeros below its diagonal D^-1: of each column, the entries
    above the diagonal are those of columns before, and the others follow from these.
    """
    n = len(known.rows)
    result: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for j in range(n):
        for k in range(j, n):
            entry: Scalar = known.inverses[j] if k == j else 0.0
            for m, factor in sorted(known.rows[k].items()):
                entry = entry - factor * result[m][j]
            result[k][j] = result[j][k] = entry
    return result


def is_one(entry: Scalar) -> bool:
    """Return whether an entry is the number 1, with which no multiplication is left."""
    return isinstance(entry, float) and entry == 1.0


def _ratio(entry: Scalar, pivot: Scalar, inverse: Scalar) -> Scalar:
    """Return an entry divided by the pivot; of equal numbers without rounding."""
    equal = isinstance(entry, float) and isinstance(pivot, float) and entry == pivot
    return 1.0 if equal else entry * inverse


def _is_zero(entry: Scalar) -> bool:
    return isinstance(entry, float) and entry == 0.0
