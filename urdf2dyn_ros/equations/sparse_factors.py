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
    `inverses` are those of the entries of D; `behind` has for each column of L the rows of its
    entries, from the last.

    """

    rows: list[dict[int, Scalar]]
    inverses: list[Scalar]
    behind: list[list[int]]


def _unnoted(row: int, symbol: str, entries: Sequence[tuple[int, Scalar]]) -> None:
    """Note nothing."""


def factors(M: Sequence[Sequence[Scalar]], note: RowNote = _unnoted) -> Factors:
    """
    Return the factors of a symmetric positive definite matrix (n, n).

    For each row k, from the last to the first, `note` is called with the rest of M's row behind
    which all joints are eliminated (`r`), the inverse of its last entry, the pivot (`id`), and the
    row of L (`l`).

    """
    n = len(M)
    rests: list[dict[int, Scalar]] = [{} for _ in M]
    rows: list[dict[int, Scalar]] = [{} for _ in M]
    inverses: list[Scalar] = [0.0] * n
    behind: list[list[int]] = [[] for _ in M]
    for k in reversed(range(n)):
        rest = {j: M[k][j] for j in reversed(range(k + 1)) if not _is_zero(M[k][j])}
        for m in behind[k]:
            for j, entry in rests[m].items():
                if j <= k:
                    rest[j] = rest.get(j, 0.0) - rows[m][k] * entry
        note(k, 'r', [*rest.items()])
        inverses[k] = reciprocal(rest.pop(k))
        note(k, 'id', [(k, inverses[k])])
        rests[k] = rest
        rows[k] = {j: entry * inverses[k] for j, entry in rest.items()}
        note(k, 'l', [*rows[k].items()])
        for j in rest:
            behind[j].append(k)
    return Factors(rows, inverses, behind)


def solved(known: Factors, b: Sequence[Scalar], note: RowNote = _unnoted) -> list[Scalar]:
    """Return x of L' D L x = b, where `note` is called with L'^-1 b (`e`) and x (`x`)."""
    e = list(b)
    for k in reversed(range(len(e))):
        for m in known.behind[k]:
            e[k] = e[k] - known.rows[m][k] * e[m]
        note(k, 'e', [(k, e[k])])
    x: list[Scalar] = []
    for k, (row, inverse) in enumerate(zip(known.rows, known.inverses)):
        x.append(e[k] * inverse)
        for j in sorted(row):
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


def _is_zero(entry: Scalar) -> bool:
    return isinstance(entry, float) and entry == 0.0
