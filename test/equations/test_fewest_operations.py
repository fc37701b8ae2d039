"""Frames and parameters that are chosen for the fewest operations change no effort."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from support.random_trees import examples, random_inertia, trees
from support.robot_files import EXAMPLES, ROBOTS, mostly_slow
from urdf2dyn_ros import InverseDynamics, RobotModel, read_urdf
from urdf2dyn_ros.equations.fewest_operations import (
    FARTHEST_ORIGIN,
    InheritedSpin,
    fewest_operations,
    regrouped,
    slid_origins,
)
from urdf2dyn_ros.equations.newton_euler import Recursion, newton_euler, second_moment
from urdf2dyn_ros.robot.loads import GRAVITY
from urdf2dyn_ros.robot.model import Joint, Link, Mimic
from urdf2dyn_ros.robot.multibody import Multibody, body_inertias, multibody, turned_frames

REAL = [path for path in (*ROBOTS, *sorted(EXAMPLES.rglob('*.urdf')))
        if path.name not in ('alex_psyonic_hands.urdf', 'ur3.urdf')]   # no robots

SNAPPED = 2.5e-11
"""Largest difference where angles that are almost quarter turns are read as such: 9.4e-12."""


def states(system: Multibody) -> list[Any]:
    rng = np.random.default_rng(5)
    return [rng.uniform(-2.0, 2.0, (3, len(system.joint_names))).tolist() for _ in range(3)]


def relative(sweep: Any, efforts: Any) -> float:
    """Return the largest difference of efforts over the largest force or moment."""
    if not sweep.efforts:
        return 0.0
    largest = max(abs(float(x)) for wrench in sweep.wrenches for x in (*wrench.f, *wrench.n))
    return float(np.abs(np.subtract(efforts, sweep.efforts)).max() / max(largest, 1e-300))


def check(model: RobotModel, tolerance: float = 4e-15) -> None:
    """Compare every step, and the generated text, with the textbook recursion."""
    system = multibody(model)
    inertias = body_inertias(system)
    everything = [True] * len(system.bodies)
    dynamics = InverseDynamics(model)
    fast, few = fewest_operations(system)
    regroup = regrouped(system, inertias)
    steps = [(each, body_inertias(each)) for each in (
        turned_frames(system, inertias), slid_origins(system, everything))]
    for state in states(system):
        sweep = newton_euler(system, inertias, state, GRAVITY)
        for step in steps:
            assert relative(sweep, newton_euler(*step, state, GRAVITY).efforts) < tolerance
        plain = newton_euler(system, regroup, state, GRAVITY, Recursion(second_moment))
        assert relative(sweep, plain.efforts) < tolerance
        recursion = newton_euler(fast, few, state, GRAVITY,
                                 Recursion(second_moment, InheritedSpin(fast, few)))
        assert relative(sweep, recursion.efforts) < tolerance
        assert relative(sweep, dynamics(*state)) < tolerance


@examples(100)
@given(trees())
def test_efforts_of_random_trees_are_the_same(model: RobotModel) -> None:
    check(model)


@examples(60)
@given(trees(massless=True))
def test_efforts_of_trees_with_massless_links_are_the_same(model: RobotModel) -> None:
    check(model)


@pytest.mark.slow
@examples(60)
@given(trees(nearly=True))
def test_efforts_of_almost_regular_trees_are_the_same_to_a_snap(model: RobotModel) -> None:
    check(model, SNAPPED)


@pytest.mark.parametrize('path', mostly_slow(
    REAL, 'rx90', 'scara', 'ur5_robot', 'panda', 'humanoid_3p33r'))
def test_efforts_of_real_robots_are_the_same(path: Path) -> None:
    """Many are printed with angles that are almost a quarter turn."""
    check(read_urdf(path.read_bytes()), SNAPPED)


def chain(joints: str, xyz: Any, *, axes: Any = None, mimic: bool = False,
          massless: tuple[int, ...] = ()) -> RobotModel:
    """Return a chain of joints, r(evolute), c(ontinuous) or p(rismatic)."""
    kinds = {'r': 'revolute', 'c': 'continuous', 'p': 'prismatic'}
    axes = axes or [((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))[k % 3]
                    for k in range(len(joints))]
    links = [Link(f'link{k}', None if k in massless else random_inertia(k))
             for k in range(len(joints) + 1)]
    made = [Joint(f'joint{k}', kinds[letter], f'link{k}', f'link{k + 1}',
                  tuple(xyz[k % len(xyz)]), (0.0, 0.0, 0.0), axes[k])
            for k, letter in enumerate(joints)]
    if mimic:
        made[-1] = replace(made[-1], mimic=Mimic('joint0', -2.0, 0.3))
    return RobotModel('chain', tuple(links), tuple(made), 'link0')


@pytest.mark.slow
@pytest.mark.parametrize('xyz', [
    [(0.0, 0.0, 0.0)], [(0.3, -0.2, 0.5)], [(1e-9, 0.0, 0.2)], [(1e-4, 1e-12, 0.0)],
    [(0.0, 0.0, 0.4)], [(0.5, 0.0, 0.0), (0.0, 0.0, 1e-17)], [(1e-17, 0.3, -1e-17)]])
@pytest.mark.parametrize('joints', ['rrrr', 'prrrrr', 'rrprr', 'rrrp', 'pppccc', 'rcrcrp'])
def test_degenerate_chains_are_the_same(joints: str, xyz: Any) -> None:
    check(chain(joints, xyz))
    check(chain(joints, xyz, mimic=True))
    check(chain(joints, xyz, massless=(len(joints),)))
    check(chain(joints, xyz, massless=tuple(range(2, len(joints)))))


@pytest.mark.parametrize('tilt', [1e-7, 1e-4, 1e-2, 0.5])
def test_axes_that_are_almost_parallel_stay_accurate(tilt: float) -> None:
    """The common normal of such axes is far away."""
    axes = [(math.sin(k * tilt), 0.0, math.cos(k * tilt)) for k in range(6)]
    model = chain('rrrrrr', [(0.3, 0.2, 0.1)], axes=axes)
    check(model)
    system = multibody(model)
    slid = slid_origins(system, [True] * 6)
    longest = max(abs(x) for body in system.bodies for x in body.parent_p_joint)
    assert all(abs(x) <= FARTHEST_ORIGIN * longest
               for body in slid.bodies for x in body.parent_p_joint)
