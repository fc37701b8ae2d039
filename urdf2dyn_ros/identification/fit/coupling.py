"""Which joints look coupled by their gears: what a motor that turns with both would explain."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.joint_columns import COULOMB, JOINT_COLUMNS, VISCOUS
from urdf2dyn_ros.identification.rows import BLOCKS, RecordedRows

_RIDGE = 1e-6
"""Share of each column's square that is added to it: columns may be equal."""

_WIDTH = len(JOINT_COLUMNS)


def coupling(rows: RecordedRows, residuals: Sequence[Array], used: Array) -> Array:
    """
    Return the share (n, n) of a joint's residual that a motor turning with another predicts.

    The friction of a motor whose velocity is r qd_i + s qd_j acts r times on joint i and s times
    on joint j, so that it depends on the other's velocity in the same way in both. The residual is
    that which a joint's own friction leaves; the share is what viscous and Coulomb friction with
    the other's velocity, with the same coefficients in both joints, removes from it in held-out
    blocks. Motions that happen to be alike show none, and errors of a model hardly any.
    """
    n = len(used)
    result = np.zeros((n, n))
    owns = [part[:, -_WIDTH - 1:-1] for part in rows.joints]
    crossed = np.concatenate([own[:, [VISCOUS, COULOMB]] for own in owns], axis=1)
    products, alone = {}, {}
    for joint in np.flatnonzero(used).tolist():
        size = max(float(np.linalg.norm(residuals[joint])), 1e-300)
        columns = np.column_stack((owns[joint], crossed, residuals[joint])) / size
        products[joint] = np.array([columns[rows.block == number].T @ columns[rows.block == number]
                                    for number in range(BLOCKS)])
        alone[joint] = _unseen(products[joint], [products[joint]], list(range(_WIDTH)))[0]
    own, other_own, shared = (list(range(_WIDTH)), list(range(_WIDTH, 2 * _WIDTH)),
                              [2 * _WIDTH, 2 * _WIDTH + 1])
    for one, other in combinations(products, 2):
        if min(alone[one], alone[other]) <= 0.0:
            continue
        parts = [_placed(products[joint], [*places, *shared, -1], [
            *own, _WIDTH + 2 * another, _WIDTH + 2 * another + 1, -1])
            for joint, another, places in ((one, other, own), (other, one, other_own))]
        left = _unseen(parts[0] + parts[1], parts, [*own, *other_own, *shared])
        result[one, other] = max(0.0, 1.0 - left[0] / alone[one])
        result[other, one] = max(0.0, 1.0 - left[1] / alone[other])
    return result


def _placed(products: Array, places: Sequence[int], chosen: Sequence[int]) -> Array:
    """Return the chosen rows and columns of products at their places among those of two joints."""
    result = np.zeros((len(products), 2 * _WIDTH + 3, 2 * _WIDTH + 3))
    result[np.ix_(range(len(products)), places, places)] = products[
        np.ix_(range(len(products)), chosen, chosen)]
    return result


def _unseen(products: Array, judged: Sequence[Array], chosen: list[int]) -> list[float]:
    """Return the squares that columns leave of the last one in blocks that were held out."""
    total, left = products.sum(axis=0), [0.0] * len(judged)
    places = [*chosen, -1]
    for number, block in enumerate(products):
        seen = (total - block)[np.ix_(chosen, chosen)]
        seen += np.diag(_RIDGE * np.diag(seen) + 1e-12)
        x = np.append(np.linalg.solve(seen, (total - block)[chosen, -1]), -1.0)
        for k, each in enumerate(judged):
            left[k] += float(x @ each[number][np.ix_(places, places)] @ x)
    return left
