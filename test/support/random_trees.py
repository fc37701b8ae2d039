"""
Random robots for hypothesis: any tree, any axes, and degenerate cases; and some robots by name.

Hypothesis draws what matters to structure, and shrinks it: parents, joint types, which kind of
axis, rotation, offset and mass. A seeded generator fills in the numbers.

"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from support.robot_files import robot_path
from urdf2dyn_ros import read_urdf
from urdf2dyn_ros.robot.model import Inertial, Joint, Link, Mimic, RobotModel
from urdf2dyn_ros.robot.spatial import Triple

TYPES = ('revolute', 'continuous', 'prismatic', 'fixed')
ALIGNED = ('x', 'y', 'z', '-x', '-y', '-z')
XYZ, RPY = (0.3, -0.2, 0.5), (0.4, -0.7, 1.1)   # an offset that is neither short nor straight
TILTS = (1e-12, 1e-10, 1e-8, 1e-6, 1e-4)


# some values would be constants of the modules imported so far, those of every worker others
if hasattr(providers, '_get_local_constants'):
    providers._get_local_constants = providers.Constants


def examples(number: int) -> Callable[[Any], Any]:
    """Return a decorator: this many examples, the same at every run, however slow the computer."""
    return settings(max_examples=number, deadline=None, derandomize=True, database=None,
                    suppress_health_check=[HealthCheck.too_slow],
                    phases=[Phase.explicit, Phase.generate], report_multiple_bugs=False)


@st.composite
def trees(draw: st.DrawFn, most: int = 12, massless: bool = False,
          nearly: bool = False) -> RobotModel:
    """
    Return a robot of 1 to `most` bodies behind its root.

    `massless`: some links have no inertia, which MuJoCo does not take; `nearly`: some axes are
    almost parallel or normal, and angles are as people print them.

    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    almost = ('printed', 'tilted') if nearly else ()
    masses = ('usual', 'any', 'thin', 'none') if massless else ('usual', 'any', 'thin')
    links = [Link('link0', _inertia(draw(st.sampled_from((*masses, 'none'))), rng))]
    joints = []
    for i in range(1, draw(st.integers(1, most)) + 1):
        parent = i - 1 - draw(st.integers(0, i - 1))
        links.append(Link(f'link{i}', _inertia(draw(st.sampled_from(masses)), rng)))
        joints.append(Joint(
            f'joint{i}', draw(st.sampled_from(TYPES)), f'link{parent}', f'link{i}',
            _offset(draw(st.sampled_from(('none', 'x', 'y', 'z', 'any'))), rng),
            _rpy(draw(st.sampled_from(('none', 'quarters', 'any', *almost))), rng),
            _axis(draw(st.sampled_from((*ALIGNED, 'any', *almost[1:]))), rng)))
    return RobotModel('tree', tuple(links), tuple(joints), 'link0')


def random_inertia(seed: int) -> Inertial:
    """Return an inertia without symmetry."""
    inertia = _inertia('usual', np.random.default_rng(seed))
    assert inertia is not None
    return inertia


def _triple(values: Any) -> Triple:
    x, y, z = (float(value) + 0.0 for value in values)   # no -0.0
    return x, y, z


def _inertia(kind: str, rng: np.random.Generator) -> Inertial | None:
    """Return an inertia that second moments of a mass distribution add up to."""
    if kind == 'none':
        return None
    mass = float(10.0 ** rng.uniform(*((-1.0, 1.0) if kind == 'usual' else (-3.0, 3.0))))
    second = mass * 10.0 ** rng.uniform(-4.0, 0.0, 3)
    if kind == 'thin':
        second[rng.integers(3)] *= 1e-6
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0] if rng.random() < 0.5 else np.eye(3)
    S = rotation @ np.diag(second) @ rotation.T
    tensor = np.trace(S) * np.eye(3) - S
    rpy = rng.uniform(-math.pi, math.pi, 3) * (rng.random() < 0.5)
    com = rng.normal(size=3) * 0.3 * (rng.random() < 0.8)
    return Inertial(mass, _triple(com), _triple(rpy),
                    tuple(map(float, tensor[np.triu_indices(3)])))


def _offset(kind: str, rng: np.random.Generator) -> Triple:
    if kind in 'xyz':
        return _triple((kind == x) * rng.normal() for x in 'xyz')
    return _triple(rng.normal(size=3) * (kind == 'any'))


def _rpy(kind: str, rng: np.random.Generator) -> Triple:
    if kind == 'any':
        return _triple(rng.uniform(-math.pi, math.pi, 3))
    quarters = math.pi / 2 * rng.integers(-2, 3, 3)
    if kind == 'printed':   # as people write them: 1.57, 1.5708, 1.570796, 3.1415926536
        return _triple(round(angle, int(rng.integers(2, 11))) for angle in quarters)
    tilt = rng.choice(TILTS) * rng.normal(size=3) * (kind == 'tilted')
    return _triple(quarters * (kind != 'none') + tilt)


def _axis(kind: str, rng: np.random.Generator) -> Triple:
    if kind == 'any':
        axis = rng.normal(size=3)
    else:
        axis = np.array([x in kind for x in 'xyz'], dtype=float)
        if kind == 'tilted':
            axis[rng.integers(3)] = 1.0
            axis += rng.choice(TILTS) * rng.normal(size=3)
        axis *= -1.0 if kind.startswith('-') else 1.0
    return _triple(axis / np.linalg.norm(axis))


def between(type: str, axis: Triple = (0.0, 0.0, 1.0)) -> RobotModel:
    """Return an arm with a joint of several freedoms in its middle."""
    links = (Link('base'), *(Link(f'link{k}', random_inertia(k)) for k in range(3)))
    return RobotModel('between', links, (
        Joint('first', 'revolute', 'base', 'link0', (0.0, 0.1, 0.0)),
        Joint('free', type, 'link0', 'link1', XYZ, RPY, axis),
        Joint('last', 'prismatic', 'link1', 'link2', (0.5, 0.0, 0.2), axis=(0.0, 0.0, 1.0))),
        'base')


def tangle() -> RobotModel:
    """Return a tree with oblique axes, two branches, sliders, and joints that follow others."""
    rng = np.random.default_rng(7)
    kinds = ('revolute', 'prismatic', 'revolute', 'prismatic', 'continuous', 'fixed', 'revolute')
    mimics = {2: Mimic('joint0', -0.7, 0.2), 3: Mimic('joint1', 1.3)}
    joints = []
    for k, kind in enumerate(kinds):
        xyz, rpy, axis = rng.normal(size=(3, 3))
        joints.append(Joint(f'joint{k}', kind, f'link{max(k - 2, 0)}', f'link{k + 1}',
                            tuple(xyz.tolist()), tuple(rpy.tolist()),
                            tuple((axis / np.linalg.norm(axis)).tolist()), mimics.get(k)))
    links = (Link('link0'), *(Link(f'link{k + 1}', random_inertia(k)) for k in range(len(kinds))))
    return RobotModel('tangle', links, tuple(joints), 'link0')


@cache
def robot(name: str) -> RobotModel:
    if name == 'tangle':
        return tangle()
    if name == 'rock':
        return RobotModel('rock', (Link('base', random_inertia(1)),), (), 'base')
    return read_urdf(robot_path(name).read_bytes())
