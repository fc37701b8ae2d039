"""Efforts of robots with closed loops against Pinocchio's tree, energies, and each other."""

import math
import re
from dataclasses import replace
from functools import cache
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from support.closed_simulation import model_of
from support.mechanisms import MECHANISMS, Builder, mechanism
from support.oracles import prepared
from urdf2dyn_ros import InverseDynamics, UrdfError, read_urdf
from urdf2dyn_ros.errors import LoopError
from urdf2dyn_ros.robot.loads import Loads, Payload

STATES = 20
LARGE = ('delta', 'stewart')   # whose efforts and accelerations are compared at once
FEWER = [pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE)) for name in MECHANISMS]


@cache
def dynamics_of(name: str) -> InverseDynamics:
    return InverseDynamics(mechanism(name), backend='python')


def states(dynamics: InverseDynamics, number: int = STATES) -> np.ndarray:
    """Return closed states (number, 3, n): positions near the start, one after the other."""
    rng = np.random.default_rng(7)
    start = dict(dynamics.model.closed_loops.start)
    q = np.array([start[name] for name in dynamics.joint_names])
    q = q + 0.15 * np.sin(np.linspace(0.0, 5.0, number)[:, None] + rng.normal(size=dynamics.n))
    return np.stack([q, *rng.normal(size=(2, number, dynamics.n))], axis=1)


class Cut:
    """Pinocchio's tree, and where loops close it, as points that coincide (and axes that do)."""

    def __init__(self, dynamics: InverseDynamics, text: str) -> None:
        self.dynamics = dynamics
        self.model = pin.buildModelFromXML(prepared(text))
        self.ends = []
        for loop in read_urdf(text).loops:
            frames = []
            for end in (loop.first, loop.second):
                link = self.model.frames[self.model.getFrameId(end.link, pin.FrameType.BODY)]
                at = link.placement * pin.SE3(pin.utils.rpyToMatrix(np.array(end.rpy)),
                                              np.array(end.xyz))
                frames.append(self.model.addFrame(pin.Frame(
                    f'{loop.name} {end.link}', link.parentJoint, 0, at, pin.FrameType.OP_FRAME)))
            self.ends.append((loop.type, *frames))
        self.data = self.model.createData()

    def state(self, q: np.ndarray, passive: np.ndarray) -> dict[str, float]:
        return {**dict(zip(self.dynamics.joint_names, q)),
                **dict(zip(self.dynamics.passive_names, passive))}

    def vector(self, values: dict[str, float]) -> np.ndarray:
        q = pin.neutral(self.model)
        for joint, name in list(zip(self.model.joints, self.model.names))[1:]:
            if joint.nq == 2:
                q[joint.idx_q:joint.idx_q + 2] = np.cos(values[name]), np.sin(values[name])
            else:
                q[joint.idx_q] = values[name]
        return q

    def rates(self, values: dict[str, float]) -> np.ndarray:
        qd = np.zeros(self.model.nv)
        for joint, name in list(zip(self.model.joints, self.model.names))[1:]:
            qd[joint.idx_v] = values.get(name, 0.0)
        return qd

    def constraint(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return J and Jd qd of all loops: points, and both rotations across a hinge."""
        rows, drift = [], []
        axes = pin.LOCAL_WORLD_ALIGNED
        pin.forwardKinematics(self.model, self.data, q, qd, np.zeros(self.model.nv))
        pin.updateFramePlacements(self.model, self.data)
        for kind, first, second in self.ends:
            J = [pin.computeFrameJacobian(self.model, self.data, q, end, axes).copy()
                 for end in (first, second)]
            a = [pin.getFrameClassicalAcceleration(self.model, self.data, end, axes).vector
                 for end in (first, second)]
            keep = slice(0, 6 if kind == 'fixed' else 3)
            rows.append((J[1] - J[0])[keep])
            drift.append((a[1] - a[0])[keep])
        return np.vstack(rows), np.concatenate(drift)

    def motion(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rates of all joints from those of the actuated ones, and which these are."""
        J, _ = self.constraint(q, np.zeros(self.model.nv))
        driven = self.rates(dict.fromkeys(self.dynamics.joint_names, 1.0)) > 0.0
        rates = self.rates(dict(zip(self.dynamics.joint_names, qd)))
        rates[~driven] = -np.linalg.pinv(J[:, ~driven]) @ J[:, driven] @ rates[driven]
        return rates, driven, J

    def accelerations(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return qdd of all joints under efforts of all, with points that coincide in loops."""
        models, of_models = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for _, *ends in self.ends:
            places = [part for end in ends for frame in [self.model.frames[end]]
                      for part in (frame.parentJoint, frame.placement)]
            models.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model,
                                                   *places, pin.LOCAL))
            of_models.append(models[-1].createData())
        data = self.model.createData()
        pin.initConstraintDynamics(self.model, data, models, of_models)
        return pin.constraintDynamics(self.model, data, q, qd, tau, models, of_models,
                                      pin.ProximalSettings(1e-14, 1e-14, 1e-8, 50))


@pytest.mark.parametrize('name', MECHANISMS)
def test_efforts_give_the_accelerations_that_they_are_for(name: str) -> None:
    """By Pinocchio's constraintDynamics."""
    dynamics = dynamics_of(name)
    cut = Cut(dynamics, mechanism(name))
    several = states(dynamics)
    closed = dynamics.close(several[:, 0])
    for (q, qd, qdd), passive in zip(several, closed):
        tau = dynamics(q, qd, qdd, passive=passive)
        full = cut.vector(cut.state(q, passive))
        rates, driven, _ = cut.motion(full, qd)
        found = cut.accelerations(full, rates, cut.rates(dict(zip(dynamics.joint_names, tau))))
        expected = cut.rates(dict(zip(dynamics.joint_names, qdd)))
        scale = np.abs(found).max()
        assert np.abs((found - expected)[driven]).max() < 1e-9 * scale


@pytest.mark.parametrize('name', MECHANISMS)
def test_mass_matrix_and_bias_are_those_of_mujoco(name: str) -> None:
    """With its constraint Jacobian, which Pinocchio's equals; Pinocchio's centripetal terms."""
    dynamics, text = dynamics_of(name), mechanism(name)
    cut, model = Cut(dynamics, text), model_of(text)
    data, m = mujoco.MjData(model), model.nv
    order = [model.joint(joint).dofadr[0] for joint in cut.model.names[1:]]
    for q, qd, _ in states(dynamics, 5):
        passive = dynamics.close(q)
        values, full = cut.state(q, passive), cut.vector(cut.state(q, passive))
        rates, driven, J = cut.motion(full, qd)
        _, drift = cut.constraint(full, rates)
        for joint, value in values.items():
            data.qpos[model.joint(joint).qposadr] = value
        data.qvel[order] = rates
        mujoco.mj_forward(model, data)
        M = np.zeros((m, m))
        for column, unit in zip(M, np.eye(m)):
            mujoco.mj_mulM(model, data, column, unit)
        M, bias = M[np.ix_(order, order)], data.qfrc_bias[order]
        found = data.efc_J.reshape(-1, m)[:, order]
        assert np.abs(np.abs(found) - np.abs(J)).max() < 1e-8 * np.abs(J).max()
        G, still = np.eye(m)[:, driven], np.zeros(m)
        inverse = np.linalg.pinv(found[:, ~driven])
        G[~driven] = -inverse @ found[:, driven]
        still[~driven] = -np.linalg.pinv(J[:, ~driven]) @ drift
        names = [joint for joint, drives in zip(cut.model.names[1:], driven) if drives]
        place = [names.index(joint) for joint in dynamics.joint_names]
        of_mujoco = (G.T @ M @ G)[np.ix_(place, place)]
        assert dynamics.mass_matrix(q) == pytest.approx(of_mujoco, abs=1e-8 * of_mujoco.max())
        expected = (G.T @ (bias + M @ still))[place]
        assert dynamics.bias(q, qd) == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize('name', FEWER)
def test_power_is_the_change_of_energy(name: str) -> None:
    dynamics, h = dynamics_of(name), 1e-4
    for q, qd, qdd in states(dynamics, 5):
        tau = dynamics(q, qd, qdd)
        times = h * np.array([-2.0, -1.0, 1.0, 2.0])
        E = [dynamics.energy(q + qd * t + 0.5 * qdd * t * t, qd + qdd * t).sum() for t in times]
        power = (E[0] - 8.0 * E[1] + 8.0 * E[2] - E[3]) / (12.0 * h)
        scale = np.abs(tau) @ np.abs(qd) + np.abs(E).max()
        assert tau @ qd == pytest.approx(power, abs=1e-7 * scale)


@pytest.mark.parametrize('name', FEWER)
def test_momentum_changes_as_efforts_say(name: str) -> None:
    dynamics, h = dynamics_of(name), 4e-4
    for q, qd, qdd in states(dynamics, 3):
        p, beta, load = dynamics.momentum(q, qd)
        assert p == pytest.approx(dynamics.mass_matrix(q) @ qd, rel=1e-10, abs=1e-12)
        P = [dynamics.momentum(q + qd * t + 0.5 * qdd * t * t, qd + qdd * t)[0]
             for t in h * np.array([-2.0, -1.0, 1.0, 2.0])]
        change = (P[0] - 8.0 * P[1] + 8.0 * P[2] - P[3]) / (12.0 * h)
        found = dynamics(q, qd, qdd) + beta - load
        assert found == pytest.approx(change, abs=1e-7 * np.abs([found, beta, load]).max())


@pytest.mark.parametrize('name', FEWER)
def test_functions_agree_with_each_other(name: str) -> None:
    dynamics = dynamics_of(name)
    for q, qd, qdd in states(dynamics, 3):
        pose = {'passive': dynamics.close(q)}   # of one call: others differ by 1e-12 m
        tau = dynamics(q, qd, qdd, **pose)
        scale = 1e-10 * np.abs(tau).max()
        M = dynamics.mass_matrix(q, **pose)
        assert np.abs(M - M.T).max() < 1e-10 * np.abs(M).max()
        assert np.linalg.eigvalsh(M).min() > 0.0
        assert M @ qdd + dynamics.bias(q, qd, **pose) == pytest.approx(tau, abs=scale)
        assert sum(dynamics.terms(q, qd, qdd, **pose).values()) == pytest.approx(tau, abs=scale)
        assert dynamics.gravity(q, **pose) == pytest.approx(dynamics(q, **pose), abs=scale)
        kinetic, _ = dynamics.energy(q, qd, **pose)
        assert 0.5 * qd @ M @ qd == pytest.approx(kinetic, rel=1e-10)
        found = dynamics.forward_dynamics(q, qd, tau, **pose)
        assert found == pytest.approx(qdd, abs=1e-12 * np.linalg.cond(M))


@pytest.mark.parametrize(('name', 'number'), [
    ('four_bar', 8), ('five_bar', 11), ('palletizer', 25), ('excavator', 29), ('ankle', 34),
    pytest.param('delta', 45, marks=pytest.mark.slow),
    pytest.param('stewart', 94, marks=pytest.mark.slow)])
def test_base_parameters_are_as_few_as_the_efforts_of_any_bodies_need(name: str,
                                                                      number: int) -> None:
    dynamics, rng = dynamics_of(name), np.random.default_rng(3)
    q, qd, qdd = np.moveaxis(states(dynamics, 4 + 3 * number // dynamics.n), 1, 0)
    q = q + rng.uniform(-0.02, 0.02, q.shape)
    Y = dynamics.regressor(q, qd, qdd, passive=dynamics.close(q))
    flat = Y.reshape(-1, number)
    sizes = np.linalg.svd(flat / np.linalg.norm(flat, axis=0), compute_uv=False)
    assert sizes[-1] > 1e-8
    other = InverseDynamics(replace(dynamics.model, links=tuple(
        link if link.inertia is None else replace(link, inertia=replace(
            link.inertia, mass=rng.uniform(0.5, 2.0) * link.inertia.mass,
            com=tuple(rng.normal(size=3) * 0.1))) for link in dynamics.model.links)),
        backend='python')
    for each in (dynamics, other):
        tau = each(q, qd, qdd)
        assert Y @ each.base_parameters.values == pytest.approx(tau, abs=1e-10 * abs(tau).max())


@pytest.mark.parametrize(('name', 'link'), [
    ('five_bar', 'left_elbow_link'), ('delta', 'hand_z_link'), ('stewart', 'plate_z_link'),
    ('ankle', 'roll_link'), ('excavator', 'bucket_link')])
def test_links_move_as_their_poses_change(name: str, link: str) -> None:
    dynamics, h = dynamics_of(name), 3e-4   # positions close within 1e-12 m
    q, qd, qdd = states(dynamics, 1)[0]
    J = dynamics.jacobian(q, link)
    twist, acceleration = dynamics.frame_motion(q, qd, qdd, link)
    assert twist == pytest.approx(J @ qd, abs=1e-10)
    p = [dynamics.forward_kinematics(q + qd * t + 0.5 * qdd * t * t, link)[1]
         for t in (-h, 0.0, h)]
    assert (p[2] - p[0]) / (2.0 * h) == pytest.approx(twist[:3], abs=1e-5)
    assert (p[2] - 2.0 * p[1] + p[0]) / h**2 == pytest.approx(acceleration[:3], abs=1e-3)


def test_closed_positions_stay_on_their_branch_and_are_accepted_by_name() -> None:
    dynamics = dynamics_of('five_bar')
    q = np.linspace([0.0, 0.0], [0.3, 0.2], 40)
    passive = dynamics.close(q)
    assert passive.shape == (40, 2)
    assert np.abs(np.diff(passive, axis=0)).max() < 0.05
    assert dynamics.close(q[-1]) == pytest.approx(passive[-1], abs=1e-10)
    assert dynamics.close(q[-1], start=passive[-2]) == pytest.approx(passive[-1], abs=1e-10)
    named = dict(zip(dynamics.passive_names, passive[-1]))
    assert np.array_equal(dynamics(q[-1], passive=named), dynamics(q[-1], passive=passive[-1]))
    batch = dynamics(q, 0.0 * q + 0.3, 0.0 * q)
    each = [dynamics(row, [0.3, 0.3], [0.0, 0.0]) for row in q]
    assert batch == pytest.approx(np.array(each), rel=1e-9)


def test_nothing_is_computed_where_loops_do_not_close() -> None:
    dynamics = dynamics_of('five_bar')
    with pytest.raises(LoopError, match=r'out of reach|do not close') as out:
        dynamics([-1.12, 1.03])
    assert out.value.status == 'open'
    wrong = dynamics.close([0.1, 0.1])
    with pytest.raises(LoopError, match='open by') as opened:
        dynamics([0.2, 0.0], passive=wrong)
    assert opened.value.status == 'open'
    assert np.isfinite(dynamics([0.1, 0.1])).all()


def test_efforts_are_refused_towards_a_singular_pose() -> None:
    """A four-bar whose coupler and rocker come in line: up to there, though they turn fast."""
    dynamics, statuses = dynamics_of('four_bar'), []
    for q in np.linspace(0.0, -3.2, 65):
        try:
            assert np.isfinite(dynamics([q])).all()
            statuses.append('')
        except LoopError as error:
            statuses.append(error.status)
    assert statuses[0] == '' and set(statuses) <= {'', 'open', 'singular'}
    closes, far, margin, status = 0.0, -3.2, 1.0, ''
    for _ in range(40):
        q = 0.5 * (closes + far)
        try:
            dynamics([q])
            closes, margin = q, dynamics.margin
        except LoopError as error:
            far, status = q, error.status
    assert status == 'singular' and 1e-3 <= margin < 3e-3


def test_a_start_chooses_the_assembly() -> None:
    """A four-bar that is written folded: no pose is said, and there are two."""
    text = mechanism('four_bar').replace(f'{0.7:.17g} 0 0', '0.6 0 0')
    model = read_urdf(text)
    with pytest.raises(UrdfError, match='ambiguous-assembly'):
        InverseDynamics(text, backend='python')
    first, other = (InverseDynamics(model, backend='python', start=dict(start))
                    for start in (model.closed_loops.start, model.closed_loops.other))
    q = [dict(first.model.closed_loops.start)['crank']]
    found = first.close(q)
    assert np.abs(other.close(q) - found).max() > 0.1
    assert np.abs(other(q) - first(q)).max() > 1e-3


@pytest.mark.parametrize('name', FEWER)
def test_the_coriolis_matrix_is_that_of_christoffel(name: str) -> None:
    dynamics, h = dynamics_of(name), 1e-4
    for q, qd, _ in states(dynamics, 3):
        pose = {'passive': dynamics.close(q)}
        C, gravity = dynamics.coriolis_matrix(q, qd, **pose), dynamics.gravity(q, **pose)
        expected = dynamics.bias(q, qd, **pose)
        assert C @ qd + gravity == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
        M = [dynamics.mass_matrix(q + qd * t) for t in h * np.array([-2.0, -1.0, 1.0, 2.0])]
        change = (M[0] - 8.0 * M[1] + 8.0 * M[2] - M[3]) / (12.0 * h)
        assert np.abs(change - (C + C.T)).max() < 1e-8 * np.abs(M).max()


@pytest.mark.parametrize(('name', 'base'), [
    *(pytest.param(name, 'fixed', marks=[pytest.mark.slow] * (name in LARGE))
      for name in MECHANISMS), ('five_bar', 'moving'), ('ankle', 'moving')])
def test_derivatives_are_differences_of_the_efforts(name: str, base: str) -> None:
    dynamics = InverseDynamics(mechanism(name), backend='python', base=base)
    of_base = {'base_motion': np.linspace(-1.0, 1.0, 9)} if base == 'moving' else {}
    state, h = states(dynamics, 1)[0], 3e-4   # loops are closed within 1e-12 m
    found = dynamics.derivatives(*state, **of_base)
    values = found[0::4]

    def whole(state: np.ndarray) -> np.ndarray:
        return np.concatenate([np.ravel(x) for x in [dynamics(*state, **of_base)]
                               ] if base == 'fixed' else dynamics(*state, **of_base))

    assert np.concatenate(values) == pytest.approx(whole(state), rel=1e-9, abs=1e-9)
    for k in range(3):
        columns = []
        for unit in np.eye(dynamics.n):
            far = [state + step * h * np.eye(3)[k][:, None] * unit for step in (-2, -1, 1, 2)]
            f = [whole(each) for each in far]
            columns.append((f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * h))
        matrix = np.vstack(found[k + 1::4])
        assert matrix == pytest.approx(np.array(columns).T, abs=1e-7 * np.abs(matrix).max())


@pytest.mark.parametrize('name', FEWER)
def test_derivatives_are_differences_of_accelerations_by_pinocchio(name: str) -> None:
    dynamics = dynamics_of(name)
    cut, h = Cut(dynamics, mechanism(name)), 2e-4
    (q, qd, qdd), = states(dynamics, 1)
    passive = dynamics.close(q)
    tau = dynamics(q, qd, qdd, passive=passive)

    def accelerations(q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        full = cut.vector(cut.state(q, dynamics.close(q, start=passive)))
        rates, driven, _ = cut.motion(full, qd)
        names = [joint for joint, drives in zip(cut.model.names[1:], driven) if drives]
        found = cut.accelerations(full, rates, cut.rates(dict(zip(dynamics.joint_names, tau))))
        return found[driven][[names.index(joint) for joint in dynamics.joint_names]]

    state = np.array([q, qd, tau])
    found = dynamics.forward_dynamics_derivatives(*state, passive=passive)
    for k, matrix in enumerate(found[1:]):
        step = h * (1.0 if k < 2 else np.abs(tau).max())
        columns = []
        for unit in np.eye(dynamics.n):
            f = [accelerations(*(state + m * step * np.eye(3)[k][:, None] * unit))
                 for m in (-2, -1, 1, 2)]
            columns.append((f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * step))
        assert matrix == pytest.approx(np.array(columns).T, abs=1e-6 * np.abs(matrix).max())


def test_loads_reach_the_motors() -> None:
    """Of a payload on a passive link, by virtual work."""
    loads = Loads(payload='left_elbow_link', external=('right_elbow_link',))
    loaded, plain = InverseDynamics(mechanism('five_bar'), backend='python',
                                    loads=loads), dynamics_of('five_bar')
    q, payload = [0.1, -0.1], Payload(2.0, (0.1, 0.0, 0.2))
    wrench = np.array([1.0, 0.0, -3.0, 0.0, 0.4, 0.0])
    found = loaded(q, payload=payload, external={'right_elbow_link': wrench})
    J, K = (plain.jacobian(q, link) for link in ('left_elbow_link', 'right_elbow_link'))
    R, _ = plain.forward_kinematics(q, 'left_elbow_link')
    S, _ = plain.forward_kinematics(q, 'right_elbow_link')
    weight = np.array([0.0, 0.0, -9.81 * 2.0])
    arm = R @ np.array([0.1, 0.0, 0.2])
    expected = plain(q) - J.T @ np.concatenate([weight, np.cross(arm, weight)]) - K.T @ (
        np.concatenate([S @ wrench[:3], S @ wrench[3:]]))
    assert found == pytest.approx(expected, rel=1e-10)


def test_c_takes_every_load_on_a_moving_base() -> None:
    """Seven arguments, for which C is asked itself: what it does not take runs in Python."""
    loads = Loads(payload='left_elbow_link', external=('right_elbow_link',))
    q, qd, qdd = np.array([[0.1, -0.1], [0.3, 0.2], [1.0, -2.0]])
    given = {'base_motion': np.linspace(-1.0, 1.0, 9), 'payload': Payload(2.0, (0.1, 0.0, 0.2)),
             'external': np.array([1.0, 0.0, -3.0, 0.0, 0.4, 0.0])}
    compiled, text = (InverseDynamics(mechanism('five_bar'), backend=backend, base='moving',
                                      loads=loads) for backend in ('c', 'python'))
    expected = np.concatenate(text(q, qd, qdd, **given))
    function = compiled._function('inverse_dynamics')
    values = {'q': q, 'qd': qd, 'qdd': qdd, 'passive': compiled._loops.passive(q, None),
              **given, 'payload': np.array(given['payload'].numbers)}
    found = function.compiled(*(values[x.name] for x in function.inputs))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize('kind', ['revolute', 'universal', 'cylindrical', 'prismatic', 'fixed'])
def test_every_type_of_loop_keeps_the_balance_of_power(kind: str) -> None:
    """A chain of oblique hinges and a slider, closed at its end with a door that turns as well."""
    rng, b = np.random.default_rng(5), Builder('chain')
    freedoms = {'revolute': 5, 'universal': 4, 'cylindrical': 4, 'prismatic': 5, 'fixed': 6}[kind]
    link, place = 'base', np.zeros(3)
    for k in range(freedoms + 1):
        axis = rng.normal(size=3)
        link = b.joint(f'j{k}', link, place, axis / np.linalg.norm(axis), motor=k == 0,
                       kind='prismatic' if k == 3 else 'continuous')
        place = place + rng.normal(size=3) * 0.4
    door = b.joint('door', 'base', (0.5, -0.3, 0.2), (0.8, 0.0, 0.6), motor=True)
    b.loop('end', link, door, place, kind, (0.0, 0.6, 0.8))
    text = b.text
    if kind == 'universal':
        text = text.replace('</loop_joint>', '<axis2 xyz="1 0 0"/></loop_joint>')
    dynamics, h = InverseDynamics(text, backend='python'), 1e-3
    assert len(dynamics.passive_names) == freedoms
    q, qd, qdd = np.array([0.01, -0.02]), np.array([0.05, 0.2]), np.array([0.1, -0.3])
    E = [dynamics.energy(q + qd * t + 0.5 * qdd * t * t, qd + qdd * t).sum()
         for t in h * np.array([-2.0, -1.0, 1.0, 2.0])]
    power = (E[0] - 8.0 * E[1] + 8.0 * E[2] - E[3]) / (12.0 * h)
    assert dynamics(q, qd, qdd) @ qd == pytest.approx(power, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(('rods', 'off'), [(1, 0.0), (1, 1e-3), (2, 0.0)])
def test_a_rod_between_two_balls_is_held_where_it_spins(rods: int, off: float) -> None:
    """Also if the hinges of a ball do not meet in one point, as in files of CAD programs."""
    b = Builder('spinning')
    body = b.joint('crank', 'base', (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), motor=True,
                   reach=(0.2, 0.0, 0.0))
    x, y, z = 0.2, 0.0, 0.0
    for number in range(rods):
        rod = body
        for k, axis in enumerate(np.eye(3)):
            rod = b.joint(f'rod_{number}{k}', rod, (x, y, z + off * (k == 1)), axis,
                          mass=0.5 * (k == 2))
        x, y = 0.1 + 0.3 * number, 0.6 + 0.1 * number
        body = b.joint(f'rocker_{number}', 'base', (x, 0.5, 0.3), (1.0, 0.0, 0.0),
                       reach=(x, y, z))
        b.loop(f'ball_{number}', rod, body, (x, y, z), 'spherical')
    model = read_urdf(b.text)
    held = [problem.element for problem in model.warnings if problem.code == 'idle-joint']
    assert [f'rod_{number}' in element for number, element in enumerate(held)] == rods * [True]
    dynamics = InverseDynamics(model, backend='python')
    assert dynamics.joint_names == ('crank',) and len(dynamics.passive_names) == 4 * rods
    assert np.isfinite(dynamics([0.1], [1.0], [1.0])).all()


def test_a_pose_that_an_error_names_can_be_given_as_the_start() -> None:
    """
    A five-bar that a weld closes, with angles of five digits, and joints that do not move.

    The weld cannot be exact, the hinge across the plane is a sum of nothing, and the zero pose is
    open.
    """
    b = Builder('welded')
    tip = (0.15, 0.0, 0.5)
    links = []
    for side, x, elbow in (('left', 0.0, -0.12), ('right', 0.3, 0.45)):
        arm = b.joint(side, 'base', (x, 0.0, 0.0), motor=True, reach=(elbow, 0.0, 0.25))
        links.append(b.joint(f'{side}_elbow', arm, (elbow, 0.0, 0.25), reach=tip))
    pin = b.joint('pin', links[1], tip)
    across = b.joint('across', pin, tip, (1.0, 0.0, 0.0), mass=0.3)
    b.loop('weld', links[0], across, tip, 'fixed')
    exact, rounded = 'rpy="0 0 0"/><link2', 'rpy="1.5708 0.4 0"/><link2'
    assert exact in b.text
    text = b.text.replace(exact, rounded).replace('rpy="0 0 0"/><axis',
                                                  'rpy="1.570796 0 0"/><axis')
    model = read_urdf(text)
    with pytest.raises(UrdfError, match='ambiguous-assembly') as error:
        InverseDynamics(model)
    poses = [eval(each) for each in re.findall(r'{[^{}.][^{}]*}', str(error.value))]
    assert len(poses) == 2 and all({*pose} == {
        'left', 'left_elbow', 'right', 'right_elbow', 'pin', 'across'} for pose in poses)
    for pose in poses:
        dynamics = InverseDynamics(text, backend='python', start=pose)
        assert dynamics.joint_names == ('left', 'right')
        q = np.array([pose['left'], pose['right']])
        closed = dict(zip(dynamics.passive_names, dynamics.close(q)))
        assert {name: closed[name] for name in closed} == pytest.approx(
            {name: pose[name] for name in closed}, abs=1e-3)
        qd, qdd, h = np.array([0.3, -0.2]), np.array([1.0, 0.5]), 1e-4
        E = [dynamics.energy(q + qd * t + 0.5 * qdd * t * t, qd + qdd * t).sum()
             for t in h * np.array([-2.0, -1.0, 1.0, 2.0])]
        power = (E[0] - 8.0 * E[1] + 8.0 * E[2] - E[3]) / (12.0 * h)
        assert dynamics(q, qd, qdd) @ qd == pytest.approx(power, rel=1e-6)


@pytest.mark.parametrize(('name', 'joint', 'position'), [
    ('palletizer', 'j2', 0.3), ('five_bar', 'left', 0.4), ('excavator', 'arm_cylinder', 0.2)])
def test_a_locked_motor_is_one_that_stands_still(name: str, joint: str, position: float) -> None:
    whole = dynamics_of(name)
    part = InverseDynamics(mechanism(name), backend='python', lock={joint: position})
    assert part.joint_names == tuple(each for each in whole.joint_names if each != joint)
    start, rng = dict(part.model.closed_loops.start), np.random.default_rng(4)
    state = {each: rng.normal(size=3) * 0.1 + [start[each], 0.0, 0.0]
             for each in part.joint_names}
    state[joint] = np.array([position, 0.0, 0.0])
    efforts = whole.named(whole(*np.array([state[each] for each in whole.joint_names]).T))
    found = part(*np.array([state[each] for each in part.joint_names]).T)
    assert found == pytest.approx([efforts[each] for each in part.joint_names], rel=1e-9)


def test_where_all_motors_are_locked_nothing_moves() -> None:
    part = InverseDynamics(mechanism('five_bar'), lock={'left': 0.1, 'right': 0.2})
    assert part.joint_names == part.passive_names == () and part([]).shape == (0,)
    whole = dynamics_of('five_bar')
    for link in ('left_elbow_link', 'right_elbow_link'):
        for found, right in zip(part.forward_kinematics([], link),
                                whole.forward_kinematics([0.1, 0.2], link)):
            np.testing.assert_allclose(found, right, atol=1e-9)


@pytest.mark.parametrize(('start', 'words'), [
    ({'left': '0'}, "position of \"left\" is '0': it must be a finite number"),
    ({'left': math.nan}, 'is nan: it must be'), ([0.0, 0.1], 'must be a mapping'),
    ({0: 0.1}, 'no joints "0"')])
def test_a_start_without_positions_is_refused(start: Any, words: str) -> None:
    with pytest.raises(UrdfError, match=words):
        InverseDynamics(mechanism('five_bar'), start=start)


def test_a_motor_alone_is_a_text() -> None:
    text = mechanism('four_bar')
    text = text[:text.find('<ros2_control')] + '</robot>'
    assert InverseDynamics(read_urdf(text, actuated='crank')).joint_names == ('crank',)


def test_a_lock_beyond_reach_or_of_a_passive_joint_is_refused() -> None:
    with pytest.raises(UrdfError, match=r'"left_elbow" cannot be locked: .* of "left", "right"'):
        InverseDynamics(mechanism('five_bar'), lock={'left_elbow': 0.1})
    with pytest.raises(UrdfError, match='on the way to "left" where they are locked'):
        InverseDynamics(mechanism('five_bar'), lock={'left': -2.5})
