"""The exported controller of robots with closed loops: what it commands, where, and where not."""

import ctypes
import re
from functools import cache

import mujoco
import numpy as np
import pytest
from test_ros2_control import VERSIONS, Package, arms, driven, fuzzed, run

from support.closed_simulation import STEP, model_of
from support.mechanisms import mechanism
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.errors import LoopError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.terms import Friction

CYCLES = round(arms.DT / STEP)   # steps of the simulation in a cycle of the controller
# of the motors that are turned apart, so that the tip leaves what it can reach
BEYOND = np.array([-1.0, 1.0])


@cache
def text_of(name: str) -> str:
    """Return a mechanism whose motors have limits."""
    text = mechanism(name)
    for motor in re.findall(r'<joint name="(\w+)"><command_interface', text):
        joint = re.search(f'<joint name="{motor}" type=.*?</joint>', text)[0]
        limits = '<limit lower="-3" upper="3" effort="800" velocity="6"/></joint>'
        text = text.replace(joint, re.sub('<limit .*?/>', '', joint).replace(
            '</joint>', limits).replace('continuous', 'revolute'))
    return text


@pytest.fixture(scope='module')
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Package]:
    """Return packages by the name of the mechanism, made as they are asked for."""
    class Packages(dict):
        def __missing__(self, name: str) -> Package:
            self[name] = Package(read_urdf(text_of(name)), Loads(), tmp_path_factory.mktemp(name))
            arms.compiled(self[name].folder)
            return self[name]

    return Packages()


class Held:
    """A controller that is told positions of a robot which does not move."""

    def __init__(self, package: Package, mode: int = arms.GRAVITY) -> None:
        self.core = arms.Controller(package.folder, mode)

    def at(self, q: np.ndarray, seconds: float) -> tuple[str, str]:
        nothing = np.full((3, len(q)), np.nan)
        for _ in range(round(seconds / arms.DT)):
            said = self.core.update(np.array([q, 0.0 * q]), nothing)
        return said


@pytest.mark.parametrize(('name', 'compiler'), [
    ('five_bar', 'clang++'), *(pytest.param(name, 'g++', marks=pytest.mark.slow)
                               for name in ('palletizer', 'stewart'))])
def test_the_test_of_the_package_passes(packages, name, compiler, tmp_path):
    """Compiled with all warnings as errors; efforts are those of the recursion to 1e-9."""
    package = packages[name]
    said = run(package.compile(compiler, tmp_path / 'test',
                               package.folder / 'test' / 'test_dynamics_core.cpp'))
    assert said.count('OK') == 10


@pytest.mark.parametrize(('name', 'version', 'compiler', 'level'), [
    ('five_bar', VERSIONS[-1], 'g++', '-O0'),
    pytest.param('delta', VERSIONS[0], 'clang++', '-O2', marks=pytest.mark.slow)])
def test_the_controller_keeps_its_promises(packages, name, version, compiler, level, tmp_path):
    """Through its life cycle; it closes the loops in an update and allocates nothing."""
    said = driven(packages[name], version, compiler, tmp_path, level)
    print(f'\n{name},', said)
    assert '0 allocations in updates, 0 failures' in said


@pytest.mark.parametrize('name', ['five_bar', 'palletizer', 'ankle'])
def test_gravity_is_that_of_inverse_dynamics(packages, name):
    """Also far from where it is assembled: until it is there, nothing is commanded."""
    dynamics = InverseDynamics(text_of(name))
    loops = dynamics.model.closed_loops
    start = np.array([dict(loops.start).get(joint, 0.0) for joint in dynamics.joint_names])
    for away in (0.05, 0.4):
        q = start + away * np.resize([1.0, -0.7], dynamics.n)
        held = Held(packages[name])
        assert held.at(q, arms.DT) == ('waiting' if away > 0.1 and loops.unknown else 'running',
                                       'none')
        assert held.at(q, 2.0) == ('running', 'none')
        np.testing.assert_allclose(held.core.tau, dynamics.gravity(q), rtol=1e-9, atol=1e-9)


def test_friction_of_passive_joints_reaches_the_motors(tmp_path):
    """As part of the equations; that of the motors is a table, as without loops."""
    loads = Loads(terms={'left': [Friction(viscous=3.0, coulomb=2.0)],
                         'left_elbow': [Friction(viscous=2.0, coulomb=1.0)]})
    model = read_urdf(text_of('five_bar'))
    package = Package(model, loads, tmp_path)
    run(package.compile('g++', tmp_path / 'test',
                        package.folder / 'test' / 'test_dynamics_core.cpp'))
    core = arms.Controller(arms.compiled(package.folder), arms.COMPUTED_TORQUE)
    q, qd = np.array([[0.05, -0.03], [0.2, 0.3]])
    for k in range(2001):   # until all has faded
        state = np.array([q + (k - 2000) * arms.DT * qd, qd])
        core.update(state, np.array([*state, 0.0 * qd]))
    np.testing.assert_allclose(core.tau, InverseDynamics(model, loads=loads)(q, qd, 0.0 * q),
                               rtol=1e-9)


class Simulated:
    """A mechanism in MuJoCo, each loop an equality constraint, and its motors."""

    def __init__(self, name: str) -> None:
        self.model = model_of(text_of(name))
        self.model.jnt_limited[:] = 0
        self.data = mujoco.MjData(self.model)
        self.dynamics = InverseDynamics(text_of(name), backend='python')
        joints = [self.model.joint(each).id for each in self.dynamics.joint_names]
        self.q, self.qd = self.model.jnt_qposadr[joints], self.model.jnt_dofadr[joints]
        mujoco.mj_forward(self.model, self.data)

    @property
    def state(self) -> np.ndarray:
        return np.array([self.data.qpos[self.q], self.data.qvel[self.qd]])

    def step(self, tau: np.ndarray) -> None:
        self.data.qfrc_applied[self.qd] = tau
        mujoco.mj_step(self.model, self.data, CYCLES)


def motion(n: int, t: float) -> np.ndarray:
    """Return q, qd and qdd (3, n) of a smooth motion from rest."""
    w, size = np.array([2.1, 1.7, 2.3, 3.1])[:n], 0.15
    return size * np.array([1.0 - np.cos(w * t), w * np.sin(w * t), w**2 * np.cos(w * t)])


@pytest.mark.parametrize('mode', [1, arms.COMPUTED_TORQUE])
@pytest.mark.parametrize('name', ['five_bar', 'palletizer'])
def test_it_tracks_in_both_modes(packages, name, mode):
    """A motion of 0.3 rad to 2e-4 rad; the loops are the simulator's, not ours."""
    robot, core = Simulated(name), arms.Controller(packages[name].folder, mode)
    errors = []
    for k in range(3000):
        wanted = motion(robot.dynamics.n, k * arms.DT)
        assert core.update(robot.state, wanted) == ('running', 'none')
        robot.step(core.tau)
        if k > 1500:   # the law acts from 0.5 s on
            errors.append(np.abs(robot.state[0] - motion(robot.dynamics.n, (k + 1) * arms.DT)[0]))
    print(f'\n{name}, mode {mode}: error of at most {np.max(errors):.2g} rad')
    assert np.max(errors) < 2e-4


@pytest.mark.parametrize('mode', [1, arms.COMPUTED_TORQUE])
def test_a_reference_beyond_reach_is_held_where_the_loops_close(packages, mode):
    """Before a singular pose; the robot follows again when the reference comes back."""
    robot, core = Simulated('five_bar'), arms.Controller(packages['five_bar'].folder, mode)
    w, farthest = np.pi / 4.0, 0.0
    for k in range(8000):   # the loops are singular at 0.4433 rad
        t = max(0.0, k * arms.DT - 1.0)
        wanted = np.outer([1.0 - np.cos(w * t), w * np.sin(w * t), w**2 * np.cos(w * t)],
                          0.25 * BEYOND) * (t > 0.0)
        assert core.update(robot.state, wanted) == ('running', 'none')
        robot.step(core.tau)
        farthest = max(farthest, np.abs(robot.state[0]).max())
    assert 0.42 < farthest < 0.443
    np.testing.assert_allclose(robot.state[0], wanted[0], atol=1e-3)


@pytest.mark.parametrize('push', [5.0, 10.0, 20.0])   # [N m]
def test_pushed_out_of_reach_it_damps_and_stops_until_it_is_activated_again(packages, push):
    """Whether it stops before the singular pose or right there; gravity alone holds it."""
    robot, core = Simulated('five_bar'), arms.Controller(packages['five_bar'].folder,
                                                         arms.GRAVITY)
    nothing, seen = np.full((3, 2), np.nan), []
    while not seen or seen[-1][0] != 'error':
        seen.append(core.update(robot.state, nothing))
        assert (np.abs(core.tau) <= 800.0).all()
        robot.step(core.tau + push * BEYOND * (len(seen) > 500))
        assert len(seen) < 3000
    faults = [said for k, said in enumerate(seen) if said != seen[k - 1]]
    assert [status for status, _ in faults] == ['running', 'damping', 'error']
    assert faults[-1][1] in ('open', 'singular') and not core.tau.any()
    assert core.update(robot.state, nothing)[0] == 'error'   # not by itself
    robot = Simulated('five_bar')
    core.library.reset()
    for _ in range(1000):
        assert core.update(robot.state, nothing) == ('running', 'none')
        robot.step(core.tau)
    np.testing.assert_allclose(core.tau, robot.dynamics.gravity(robot.state[0]), atol=1e-4)


def test_where_it_cannot_be_assembled_nothing_is_commanded(packages):
    held = Held(packages['five_bar'])
    assert held.at(0.8 * BEYOND, 1.0) == ('waiting', 'none')
    assert not held.core.tau.any()


GLUE = """
#include "PACKAGE/equations.hpp"
using namespace PACKAGE;
extern "C" int go(const double * from, const double * to, double * passive)
{
  Pose pose;
  Vector q{};
  std::copy_n(from, JOINTS, pose.q.begin());
  std::copy_n(passive, pose.passive.size(), pose.passive.begin());
  std::copy_n(to, JOINTS, q.begin());
  const Loops loops = approach(pose, q);
  std::copy(pose.passive.begin(), pose.passive.end(), passive);
  return static_cast<int>(loops);
}
"""


@pytest.mark.parametrize('name', ['five_bar', *(
    pytest.param(name, marks=pytest.mark.slow) for name in ('four_bar', 'ankle'))])
def test_a_step_does_not_lead_to_another_way_to_assemble_it(packages, name):
    """Of up to 0.1 rad, from anywhere to singular poses: as a way of thirty small ones."""
    package = packages[name]
    (package.folder / 'go.cpp').write_text(GLUE.replace('PACKAGE', package.name))
    run('g++', '-std=c++17', '-O2', '-fPIC', '-shared', f'-I{package.folder}/include',
        package.folder / 'go.cpp', package.folder / 'model.o', '-o', package.folder / 'go.so')
    library = ctypes.CDLL(str(package.folder / 'go.so'))
    dynamics = InverseDynamics(text_of(name))
    loops, random = dynamics.model.closed_loops, np.random.default_rng(1)
    names = [joint for joint in dynamics.passive_names if joint in loops.unknown]
    unknown = [dynamics.passive_names.index(joint) for joint in names]
    start = [np.array([dict(loops.start)[joint] for joint in joints])
             for joints in (dynamics.joint_names, names)]
    closed = refused = 0
    for k in range(2000):
        if k % 400 == 0:
            q, passive = start
        way = random.normal(size=len(q))
        to = q + random.uniform(0.0, 0.1) * way / np.abs(way).max()
        found = passive.copy()
        status = library.go(*(np.ascontiguousarray(each).ctypes.data_as(
            ctypes.POINTER(ctypes.c_double)) for each in (q, to)), found.ctypes.data_as(
            ctypes.POINTER(ctypes.c_double)))
        every = dynamics.close(q, start=full(dynamics, unknown, passive))
        assert np.abs(every[unknown] - passive).max() < 1e-6
        try:
            right = dynamics.close(np.linspace(q, to, 30))[-1][unknown]
        except LoopError:
            assert status != 0
            continue
        if status == 0:
            assert np.abs(found - right).max() < 1e-6
            closed += 1
        else:
            refused += 1
        q, passive = to, right
    print(f'\n{name}: {closed} closed, {refused} refused that close')
    assert closed > 1500


def full(dynamics, unknown: list[int], passive: np.ndarray) -> np.ndarray:
    """Return positions of all passive joints with those that are not linear."""
    every = np.zeros(len(dynamics.passive_names))
    every[unknown] = passive
    return every


def test_efforts_are_finite_and_within_limits_whatever_arrives(packages, tmp_path):
    """Settings, states, references and periods of any bits, under sanitizers."""
    fuzzed(packages['five_bar'], tmp_path, 100000)
