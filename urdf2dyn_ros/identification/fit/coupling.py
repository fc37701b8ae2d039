"""Which joints look coupled by their gears: what the velocity of another one predicts."""

from collections.abc import Sequence

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS, VISCOUS
from urdf2dyn_ros.identification.rows import BLOCKS, RecordedRows

_RIDGE = 1e-6
"""Share of each column's square that is added to it: columns may be equal."""


def coupling(rows: RecordedRows, residuals: Sequence[Array], used: Array) -> Array:
    """
    Return the share (n, n) of a joint's residual that another joint's velocity predicts.

    It is the share of what the joint's own friction leaves that viscous and Coulomb friction of
    the other velocity removes, in blocks that a fit to the other blocks has not seen. So motions
    that happen to be alike show none.

    """
    n, width = len(used), len(JOINT_COLUMNS)
    result = np.zeros((n, n))
    owns = [part[:, -width - 1:-1] for part in rows.joints]
    others = np.concatenate([own[:, VISCOUS:VISCOUS + 2] for own in owns], axis=1)
    joints = np.flatnonzero(used).tolist()
    for joint in joints:
        columns = np.concatenate((owns[joint], others, residuals[joint][:, None]), axis=1)
        columns /= np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
        blocks = [columns[rows.block == number] for number in range(BLOCKS)]
        products = np.array([block.T @ block for block in blocks])
        own = list(range(width))
        left = _unseen(products, own)
        for other in joints if left > 0.0 else ():
            if other != joint:
                both = [*own, width + 2 * other, width + 2 * other + 1]
                result[joint, other] = max(0.0, 1.0 - _unseen(products, both) / left)
    return result


def _unseen(products: Array, chosen: list[int]) -> float:
    """Return the squares that columns leave of the last one in blocks that were held out."""
    total, left = products.sum(axis=0), 0.0
    for block in products:
        seen = (total - block)[np.ix_(chosen, chosen)]
        seen += np.diag(_RIDGE * np.diag(seen) + 1e-12)
        x = np.append(np.linalg.solve(seen, (total - block)[chosen, -1]), -1.0)
        places = [*chosen, -1]
        left += float(x @ block[np.ix_(places, places)] @ x)
    return left
