"""InverseDynamics as a user calls it: shapes, names, bad input."""

import numpy as np
import pytest

from support.robot_files import OWN, robot_path
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.errors import StateError

RX90 = InverseDynamics(read_urdf((OWN / 'rx90.urdf').read_bytes()))
STATE = tuple(np.random.default_rng(1).normal(size=(3, 6)))


def test_one_state_and_a_whole_trajectory_give_the_same() -> None:
    """(n,) to (n,), (N, n) to (N, n)."""
    trajectory = np.random.default_rng(2).normal(size=(3, 50, 6))
    many = RX90(*trajectory)
    assert many.shape == (50, 6)
    one_by_one = [RX90(*trajectory[:, k]) for k in range(50)]
    np.testing.assert_allclose(many, one_by_one, rtol=1e-13, atol=1e-13)


def test_lists_integers_strides_and_an_empty_trajectory_are_taken() -> None:
    """Whatever numpy takes for an array of numbers."""
    expected = RX90([0.0] * 6, [1.0] * 6, [2.0] * 6)
    np.testing.assert_array_equal(RX90([0] * 6, [1] * 6, [2] * 6), expected)
    wide = np.repeat(np.array(STATE), 2, axis=1)
    np.testing.assert_array_equal(RX90(*wide[:, ::2]), RX90(*STATE))
    assert RX90(*np.zeros((3, 0, 6))).shape == (0, 6)


@pytest.mark.parametrize(('state', 'words'), [
    (([0.0] * 5, [0.0] * 6, [0.0] * 6), ['q has shape (5,)', '(6,) or (N, 6)', 'joint1']),
    (([0.0] * 6, [[0.0] * 6], [[0.0] * 6] * 2), ['rows of the same number', 'qd (1, 6)']),
    ((np.zeros((2, 2, 6)),) * 3, ['(2, 2, 6)', '(6,) or (N, 6)']),
    (([0.0] * 6, ['a'] * 6, [0.0] * 6), ['qd is not an array of numbers']),
    (([0.0] * 6, [0.0] * 6, [0.0] * 5 + [np.nan]), ['qdd[5] is nan', "'joint6'", 'finite']),
    ((np.zeros((3, 6)), np.zeros((3, 6)), np.array([[0.0] * 6, [0.0, np.inf, *[0.0] * 4],
                                                    [0.0] * 6])), ['qdd[1, 1] is inf']),
])
def test_bad_states_are_refused_by_name_and_place(state: tuple, words: list[str]) -> None:
    """The message says which argument, which entry, and the rule."""
    with pytest.raises(StateError) as caught:
        RX90(*state)
    for word in words:
        assert word in str(caught.value)


def test_large_but_finite_states_are_not_mistaken_for_infinite_ones() -> None:
    """Entries whose sum overflows are still finite."""
    assert RX90([0.0] * 6, [0.0] * 6, [1e305] * 6).shape == (6,)
    for state in (([0.0] * 6, [0.0] * 6, [1e308] * 6), np.full((3, 2, 6), 1e200)):
        with pytest.raises(StateError, match='too large'):
            RX90(*state)


def test_joints_are_named_parent_before_child_with_their_units() -> None:
    """Mimic joints are not among them; a finger slides."""
    panda = InverseDynamics(read_urdf(robot_path('panda').read_bytes()))
    assert panda.joint_names == (*(f'panda_joint{i}' for i in range(1, 8)), 'panda_finger_joint1')
    assert panda.units == ('rad',) * 7 + ('m',)
    assert panda.effort_units == ('N m',) * 7 + ('N',)
    assert not any(panda.continuous)


def test_a_robot_without_joints_has_no_efforts() -> None:
    nothing = InverseDynamics(read_urdf('<robot name="table"><link name="top"/></robot>'))
    assert nothing.joint_names == ()
    assert nothing([], [], []).shape == (0,)
    assert nothing(*np.zeros((3, 4, 0))).shape == (4, 0)
    assert nothing.operations == (0, 0, 0, 0, 0)


def test_gravity_is_a_vector_in_the_root_frame() -> None:
    """Without it a robot at rest needs no effort."""
    floating = InverseDynamics(RX90.model, gravity=(0.0, 0.0, 0.0))
    at_rest = (STATE[0], np.zeros(6), np.zeros(6))
    np.testing.assert_array_equal(floating(*at_rest), np.zeros(6))
    assert np.abs(RX90(*at_rest)).max() > 1.0


@pytest.mark.parametrize('values', [
    np.array(['1.0', '2.0']), np.array([1, 2], dtype='datetime64[s]'),
    np.ma.masked_array([1.0, 2.0], [True, False])], ids=['text', 'dates', 'masked'])
def test_what_is_no_number_is_refused(values: np.ndarray) -> None:
    dynamics = InverseDynamics(read_urdf((OWN / 'robot_2r.urdf').read_bytes()))
    with pytest.raises(StateError, match='qd is not an array of numbers'):
        dynamics([0.0, 0.0], values, [0.0, 0.0])
