"""Offsets of efforts that step within a recording, as those of current sensors do."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.rows import RecordedRows

_FEWEST_ROWS = 250
"""Rows in which a joint moves: 10 s."""

_STEPS = np.linspace(0.1, 0.9, 41)
"""When a step is tried, as shares of the rows."""

_EXPLAINED = 0.5
"""Share of the squares that any bodies and friction leave, from which on a step is one."""

_LEAST_SHARE = 0.05
"""Size of a step over the efforts without their mean that is worth a word."""


def offset_steps(joints: Sequence[str], rows: RecordedRows, used: Array) -> Iterator[str]:
    """Yield for each joint whose effort has another offset from some time on."""
    for name, part, moves, use in zip(joints, rows.joints, rows.moves.T, used):
        if not use or np.count_nonzero(moves) < _FEWEST_ROWS:
            continue
        time = rows.time[moves]
        at, size, share = largest_step(part[moves])
        if share > _EXPLAINED and abs(size) > _LEAST_SHARE * float(part[moves, -1].std()):
            word = 'larger' if size > 0.0 else 'smaller'
            yield (f'the effort of {name} is {abs(size):.3g} {word} from about {time[at]:.0f} s '
                   'on than before, whatever its bodies and friction are: did the offset of its '
                   'sensor change, or does something push or pull since then? Divide the '
                   'recording there, and add --friction-per-recording')


def largest_step(part: Array) -> tuple[int, float, float]:
    """
    Return the row, the size, and the share of squares of the step that explains most.

    The share is that of what rows of columns and effort (k, c + 1) leave without a step.
    """
    X = part[:, :-1] / np.maximum(np.linalg.norm(part[:, :-1], axis=0), 1e-12)
    U, sizes, _ = np.linalg.svd(X, full_matrices=False)
    Q = U[:, sizes > 1e-6 * sizes[0]]
    left = part[:, -1] - Q @ (Q.T @ part[:, -1])
    rows: NDArray[np.int64] = (_STEPS * len(part)).astype(np.int64)
    steps = (np.arange(len(part))[:, None] >= rows).astype(np.float64)
    steps -= Q @ (Q.T @ steps)
    squares, products = np.square(steps).sum(axis=0), left @ steps
    shares = products ** 2 / np.maximum(squares, 1e-12) / max(float(left @ left), 1e-300)
    best = int(np.argmax(shares))
    return int(rows[best]), float(products[best] / max(squares[best], 1e-12)), float(shares[best])
