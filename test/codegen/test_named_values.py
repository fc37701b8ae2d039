"""Values by the names of joints, without pandas and xarray: what looks like theirs is matched."""

from typing import Any

import numpy as np
import pytest

from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, StateError, read_urdf

MODEL = read_urdf(OWN / 'scara.urdf')
DYNAMICS = InverseDynamics(MODEL)
NAMES = list(DYNAMICS.joint_names)
TABLE = np.random.default_rng(1).normal(size=(5, 4))
EXPECTED = DYNAMICS(TABLE, TABLE, TABLE)
BACK = NAMES[::-1]


class Values:
    """An array that is none of numpy's, with attributes."""

    def __init__(self, values: Any, **attributes: Any) -> None:
        self._values = np.asarray(values)
        vars(self).update(attributes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._values if dtype is None else self._values.astype(dtype)


def frame(values: Any, columns: list) -> Values:
    """Return what looks like a DataFrame, whose index are times."""
    return Values(values, columns=columns, index=[0.1 * k for k in range(len(values))])


def data_array(values: Any, dims: tuple, **coords: Any) -> Values:
    """Return what looks like a DataArray of xarray."""
    return Values(values, dims=dims, coords=coords)


RECORDS = np.zeros(5, dtype=[(name, float) for name in BACK])
for joint, column in zip(NAMES, TABLE.T):
    RECORDS[joint] = column

TABLES = {
    'mapping of columns': {name: TABLE[:, NAMES.index(name)] for name in BACK},
    'mapping of lists': {name: TABLE[:, NAMES.index(name)].tolist() for name in BACK},
    'frame': frame(TABLE[:, ::-1], BACK),
    'frame without names': frame(TABLE, [0, 1, 2, 3]),
    'data array': data_array(TABLE[:, ::-1], ('time', 'joint'), joint=np.array(BACK),
                             time=np.arange(5.0)),
    'transposed data array': data_array(TABLE.T[::-1], ('joint', 'time'), joint=BACK),
    'data array without names': data_array(TABLE, ('time', 'joint')),
    'records': RECORDS,
}
ROWS = {
    'mapping': dict(zip(BACK, TABLE[0, ::-1])),
    'series': Values(TABLE[0, ::-1], index=BACK),
    'series without names': Values(TABLE[0], index=range(4)),
    'data array': data_array(TABLE[0, ::-1], ('joint',), joint=BACK),
    'record': RECORDS[0],
}


@pytest.mark.parametrize('backend', ['python', 'c'])
def test_names_count_not_their_order(backend: Any) -> None:
    dynamics = InverseDynamics(MODEL, backend=backend)
    for case, values in TABLES.items():
        np.testing.assert_allclose(dynamics(values, values, TABLE), EXPECTED, 1e-12, 1e-12,
                                   err_msg=case)
    for case, values in ROWS.items():
        np.testing.assert_allclose(dynamics(values, values, TABLE[0]), EXPECTED[0], 1e-12, 1e-12,
                                   err_msg=case)
    np.testing.assert_allclose(dynamics.gravity(ROWS['series']), DYNAMICS.gravity(TABLE[0]))


@pytest.mark.parametrize(('values', 'words'), [
    ({}, ['qd: there is no value for "', NAMES[3]]),
    (dict.fromkeys([*NAMES, 'gripper'], 0.0), ['the robot has no joint "gripper"']),
    (dict.fromkeys(NAMES[1:], 0.0), [f'there is no value for "{NAMES[0]}"; the joints are: ']),
    (frame(TABLE[:, [0, 1, 2, 3, 3]], [*NAMES, NAMES[3]]), ['there are several values for']),
    (frame(TABLE, ['time', *NAMES[1:]]), ['no joint "time"', f'no value for "{NAMES[0]}"']),
    ({name: [0.0] * k for k, name in enumerate(NAMES)}, ['qd is not an array of numbers']),
    (dict.fromkeys(NAMES, 'fast'), ['qd is not an array of numbers']),
    ({0: 1.0}, ['the robot has no joint "0"']),
])
def test_names_that_are_missing_or_unknown_are_an_error(values: Any, words: list[str]) -> None:
    with pytest.raises(StateError) as caught:
        DYNAMICS(TABLE[0], values, TABLE[0])
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize('backend', ['python', 'c'])
def test_one_state_goes_with_many_and_none_is_zero(backend: Any) -> None:
    dynamics = InverseDynamics(MODEL, backend=backend)
    zero = np.zeros(4)
    np.testing.assert_array_equal(dynamics(TABLE[0]), dynamics(TABLE[0], zero, zero))
    np.testing.assert_array_equal(dynamics(TABLE), dynamics(TABLE, zero, zero))
    np.testing.assert_array_equal(dynamics(TABLE, qdd=TABLE[0]),
                                  dynamics(TABLE, 0 * TABLE, np.tile(TABLE[0], (5, 1))))
    np.testing.assert_array_equal(dynamics.bias(TABLE[0], TABLE),
                                  dynamics.bias(np.tile(TABLE[0], (5, 1)), TABLE))
    assert dynamics(TABLE[0], TABLE[:0]).shape == (0, 4)
    with pytest.raises(StateError, match=r'q has shape \(\)'):
        dynamics(None)
    with pytest.raises(StateError, match=r'same number; they have: q \(5, 4\), qd \(2, 4\)'):
        dynamics(TABLE, TABLE[:2])


def test_efforts_have_names_too() -> None:
    assert DYNAMICS.named(EXPECTED[0]) == dict(zip(NAMES, EXPECTED[0].tolist()))
    np.testing.assert_array_equal(DYNAMICS.named(EXPECTED)[NAMES[2]], EXPECTED[:, 2])
    with pytest.raises(StateError, match=r'shape \(3,\); it must be \(4,\) or \(N, 4\)'):
        DYNAMICS.named([1.0, 2.0, 3.0])
