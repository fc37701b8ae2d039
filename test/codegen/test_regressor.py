"""The regressor against Pinocchio's: rank, span, efforts; its base parameters; its cost."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given

from support.acting_loads import terms
from support.oracles import Pinocchio, worst
from support.random_trees import examples, random_inertia, trees
from support.robot_files import robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, read_urdf
from urdf2dyn_ros.codegen.generator import generate
from urdf2dyn_ros.codegen.information import information, information_text
from urdf2dyn_ros.codegen.languages import python
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Joint, Link, Mimic
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.spatial import symmetric
from urdf2dyn_ros.robot.writer import clean_urdf

ROBOTS = ('ur5_robot', 'panda', 'talos_reduced', 'tiago', 'baxter', 'kinova', 'a1', 'solo12',
          'double_pendulum', 'romeo_small', 'scara', 'humanoid_3p33r')
LARGE = ('baxter', 'humanoid_3p33r', 'romeo_small', 'talos_reduced', 'tiago')
SLACK = 1e-7
"""Share of the largest singular value of a regressor below which one is zero."""


def text_of(name: str) -> str:
    return robot_path(name).read_text()


def states_of(n: int, size: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(3, size, n))


def pinocchio(text: str, names: tuple[str, ...], states: np.ndarray) -> np.ndarray:
    """Return Pinocchio's regressor of the independent joints, (N, n, 10 bodies)."""
    oracle = Pinocchio(text)
    return np.array([oracle.regressor(names, dict(zip(names, zip(*state))))
                     for state in states.transpose(1, 0, 2)])


def rank(matrix: np.ndarray) -> int:
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > SLACK * values[0]).sum())


def check(model: RobotModel, text: str) -> None:
    """Efforts to 1e-10, as many columns as the rank of Pinocchio's regressor, the same span."""
    dynamics = InverseDynamics(model, base='fixed', backend='python')
    n = len(dynamics.joint_names)
    states = states_of(n, 24)
    Y, pi = dynamics.regressor(*states), dynamics.base_parameters.values
    tau = dynamics(*states)
    error = np.abs((Y * pi).sum(axis=2) - tau).max()
    assert error < 1e-10 * np.abs(tau).max(), (error, tau, pi)
    known = pinocchio(text, dynamics.joint_names, states).reshape(24 * n, -1)
    both = np.hstack((Y.reshape(24 * n, -1), known))
    # fewer rows of the same rank
    mixed = np.random.default_rng(2).normal(size=(len(pi) + 9, 24 * n)) @ both
    assert Y.shape[2] == len(pi) == rank(mixed) == rank(mixed[:, len(pi):])


def two_on_a_slide() -> RobotModel:
    """Return a slide and two revolute joints on it: against its axis, and across."""
    axes = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    kinds = ('revolute', 'prismatic', 'revolute', 'revolute')
    return RobotModel('slide', tuple(Link(f'link{k}', random_inertia(k)) for k in range(5)), tuple(
        Joint(f'joint{k}', kind, f'link{min(k - 1, 2)}', f'link{k}', (0.0, 0.2 * k, -0.3),
              axis=axis) for k, (kind, axis) in enumerate(zip(kinds, axes), 1)), 'link0')


@pytest.mark.parametrize('name', [
    pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE)) for name in ROBOTS])
def test_columns_and_efforts_are_those_of_pinocchio(name: str) -> None:
    check(read_urdf(text_of(name)), text_of(name))


@examples(25)
@example(model=two_on_a_slide())
@given(model=trees(most=7))
def test_any_tree_has_the_rank_that_pinocchio_finds(model: RobotModel) -> None:
    if make_multibody(model).joint_names:
        check(model, clean_urdf(model))


def gripper() -> RobotModel:
    """Return a planar base, an arm, and fingers that mimic: parallel, prismatic, chains of it."""
    kinds = (('planar', None), ('revolute', None), ('prismatic', None),
             ('prismatic', Mimic('joint3', -1.0, 0.1)), ('revolute', None),
             ('revolute', Mimic('joint5', -1.0)), ('revolute', Mimic('joint6', 0.5)),
             ('fixed', None))
    parents = (0, 1, 2, 2, 2, 5, 2, 7)
    links = [Link(f'link{k}', random_inertia(k)) for k in range(9)]
    joints = [Joint(f'joint{k}', kind, f'link{parent}', f'link{k}', (0.1 * k, 0.2, -0.1),
                    axis=((0.0, 1.0, 0.0) if kind == 'prismatic' else (0.0, 0.0, 1.0)),
                    mimic=mimic)
              for k, ((kind, mimic), parent) in enumerate(zip(kinds, parents), 1)]
    return RobotModel('gripper', tuple(links), tuple(joints), 'link0')


def with_standard(model: RobotModel, links: tuple[str, ...], standard: np.ndarray) -> RobotModel:
    """Return a robot whose links have other standard parameters."""
    inertias = {}
    for name, (m, *h, xx, xy, xz, yy, yz, zz) in zip(links, standard.reshape(-1, 10)):
        c = np.array(h) / m
        tensor = symmetric((xx, xy, xz, yy, yz, zz)) - m * (c @ c * np.eye(3) - np.outer(c, c))
        inertias[name] = replace(random_inertia(0), mass=float(m), com=tuple(map(float, c)),
                                 rpy=(0.0, 0.0, 0.0),
                                 tensor=tuple(map(float, tensor[np.triu_indices(3)])))
    return replace(model, links=tuple(
        replace(link, inertia=inertias.get(link.name)) for link in model.links))


@pytest.mark.parametrize(('name', 'gravity'), [
    ('gripper', (0.0, 0.0, -9.81)), ('gripper', (0.0, 0.0, 0.0)), ('rx90', (1.0, 2.0, -9.0)),
    *(pytest.param(*each, marks=pytest.mark.slow) for each in (
        ('gripper', (1.0, 2.0, -9.0)), ('rx90', (0.0, 0.0, -9.81)), ('rx90', (0.0, 0.0, 0.0))))])
def test_the_matrix_makes_base_parameters_of_any_links(name: str, gravity: Any) -> None:
    """Of planar, prismatic, mimic, parallel and fixed joints; the rank is that of the efforts."""
    model = gripper() if name == 'gripper' else read_urdf(text_of(name))
    dynamics = InverseDynamics(model, gravity, backend='python')
    base = dynamics.base_parameters
    rng = np.random.default_rng(4)
    states = states_of(len(dynamics.joint_names), 12)
    Y = dynamics.regressor(*states)
    efforts = []
    for k in range(len(base.names) + 3):
        standard = base.standard if k == 0 else rng.normal(size=base.standard.shape)
        robot = with_standard(model, base.links, standard)
        efforts.append(np.ravel(InverseDynamics(robot, gravity, backend='python')(*states)))
        assert worst(Y @ (base.matrix @ standard), [efforts[-1]]) < 1e-10
    assert rank(np.array(efforts)) == rank(Y.reshape(-1, len(base.names))) == len(base.names)


def test_base_parameters_have_names_units_and_formulas() -> None:
    """Of the 2R: a pendulum on a pendulum."""
    base = InverseDynamics(read_urdf(text_of('robot_2r'))).base_parameters
    assert base.names == ('Sxx1', 'hx2', 'hy2', 'Sxx2')
    assert base.units == ('kg m^2', 'kg m', 'kg m', 'kg m^2')
    assert base.links == ('link1', 'link2')
    assert base.formulas == ('Izz(link1) + 4 m(link2)', 'mx(link2)', 'my(link2)', 'Izz(link2)')
    assert np.allclose(base.values, [38.6, 5.0, 0.0, 15.0], rtol=1e-14)
    assert base.matrix.shape == (4, 20)


def test_info_lists_the_base_parameters() -> None:
    model = read_urdf(text_of('robot_2r'))
    found = information(model, functions='regressor')
    assert [each['name'] for each in found['base_parameters']] == ['Sxx1', 'hx2', 'hy2', 'Sxx2']
    assert json.loads(json.dumps(found)) == found
    assert ('    Sxx1    38.6 kg m^2: Izz(link1) + 4 m(link2)'
            in information_text(found).splitlines())
    assert 'base_parameters' not in information(model)


def test_loads_have_no_effect_and_a_moving_base_is_refused() -> None:
    text = text_of('rx90').replace('</robot>', '<force link="link6" force="1 2 3"/></robot>')
    model = read_urdf(text)
    plain = InverseDynamics(read_urdf(text_of('rx90')))
    loads = Loads('fixed', terms(model), ('link6',), 'link6')
    loaded, states = InverseDynamics(model, loads=loads), states_of(6, 3)
    assert np.array_equal(loaded.regressor(*states), plain.regressor(*states))
    assert np.array_equal(loaded.base_parameters.values, plain.base_parameters.values)
    text, = python.Python.write(generate(make_multibody(model), name='r', functions='regressor',
                                         loads=loads)).values()
    assert 'no friction, no rotors, no springs, no contact' in text
    moving = InverseDynamics(model, base='moving')
    for request in (lambda: moving.regressor(*states), lambda: moving.base_parameters):
        with pytest.raises(ParameterError, match="set base 'fixed'"):
            request()
