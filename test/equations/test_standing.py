"""Robots on their feet: balanced to rounding, and the efforts are Pinocchio's and MuJoCo's."""

import json
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from support.robot_files import EXAMPLES
from urdf2dyn_ros import (
    BalanceError,
    InverseDynamics,
    Loads,
    ParameterError,
    Payload,
    StateError,
    read_urdf,
)
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.robot.writer import clean_urdf

ANYMAL = EXAMPLES / 'anymal_b_simple_description/robots/anymal.urdf'
TALOS = EXAMPLES / 'talos_data/robots/talos_reduced.urdf'
FEET = ['LF_FOOT', 'RF_FOOT', 'LH_FOOT', 'RH_FOOT']
SOLES = {'left_sole_link': (0.2, 0.12), 'right_sole_link': (0.2, 0.12)}
MU = 0.6


def posture(dynamics: InverseDynamics, seed: int, far: float) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-far, far, dynamics.n)


def by_pinocchio(path: Path, q: np.ndarray, names, wrenches, gravity=(0, 0, -9.81)) -> np.ndarray:
    """Return the wrench of the base and the efforts with these wrenches on the feet."""
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    model.gravity.linear = np.array(gravity, float)
    data, whole = model.createData(), pin.neutral(model)
    for name, position in zip(names, q):
        whole[model.joints[model.getJointId(name)].idx_q] = position
    tau = pin.rnea(model, data, whole, np.zeros(model.nv), np.zeros(model.nv))
    for foot, wrench in wrenches.items():
        J = pin.computeFrameJacobian(model, data, whole, model.getFrameId(foot),
                                     pin.LOCAL_WORLD_ALIGNED)
        tau -= J.T @ wrench
    order = [model.joints[model.getJointId(name)].idx_v for name in names]
    return np.concatenate((tau[:6], tau[order]))


def by_mujoco(path: Path, q: np.ndarray, names, wrenches) -> np.ndarray:
    spec = mujoco.MjSpec.from_string(clean_urdf(read_urdf(path), fill_limits=True))
    spec.compiler.fusestatic = False
    spec.compiler.boundmass = spec.compiler.boundinertia = 1e-13   # of links without
    spec.compiler.balanceinertia = True   # no inertia has a part at rest
    root = spec.worldbody.first_body()
    root.add_freejoint()
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)
    data.qpos[:7] = (0, 0, 0, 1, 0, 0, 0)
    for name, position in zip(names, q):
        data.qpos[model.joint(name).qposadr] = position
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.dof_damping[:] = 0.0
    mujoco.mj_forward(model, data)
    data.qvel[:], data.qacc[:] = 0.0, 0.0
    mujoco.mj_inverse(model, data)
    tau = data.qfrc_inverse.copy()
    for foot, wrench in wrenches.items():
        Jp, Jr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBody(model, data, Jp, Jr, model.body(foot).id)
        tau -= Jp.T @ wrench[:3] + Jr.T @ wrench[3:]
    return np.concatenate((tau[:6], tau[[int(model.joint(name).dofadr[0]) for name in names]]))


@pytest.mark.slow
@pytest.mark.parametrize(('path', 'feet', 'far'), [
    (ANYMAL, FEET, 0.3), (ANYMAL, dict.fromkeys(FEET, (0.04, 0.04)), 0.3), (TALOS, SOLES, 0.02)])
def test_balanced_and_the_efforts_of_the_oracles(path: Path, feet, far: float) -> None:
    dynamics, stood = InverseDynamics(path, backend='python'), 0
    weight = 9.81 * dynamics.model.mass
    for seed in range(10):
        q = posture(dynamics, seed, far)
        try:
            found = dynamics.standing(q, feet, MU)
        except BalanceError:
            continue
        stood += 1
        for oracle in (by_pinocchio, by_mujoco) if seed < 3 else (by_pinocchio,):
            expected = oracle(path, q, dynamics.joint_names, found.wrenches)
            assert np.abs(expected[:6]).max() <= 1e-9 * weight
            assert np.abs(expected[6:] - found.efforts).max() <= 1e-9 * weight
        assert sum(found.normal.values()) == pytest.approx(weight, rel=1e-9)
        assert all(found.normal[foot] >= 0.0 and found.tangential[foot] <= (
            MU + 1e-9) * found.normal[foot] for foot in feet)
    assert stood >= 5


def test_where_forces_of_least_norm_slip_or_pull_others_are_found() -> None:
    """Three feet at the edge, a tilted base, and a weak ground."""
    dynamics = InverseDynamics(ANYMAL, gravity=(3.0, 0.0, -9.34), backend='python')
    q = np.zeros(12)
    found = dynamics.standing(q, FEET, 0.05)
    assert all(found.tangential[foot] <= 0.05 * found.normal[foot] + 1e-9 for foot in FEET)
    expected = by_pinocchio(ANYMAL, q, dynamics.joint_names, found.wrenches, (3.0, 0.0, -9.34))
    assert np.abs(expected[:6]).max() < 1e-6 and np.abs(
        expected[6:] - found.efforts).max() < 1e-6
    free = np.linalg.norm([each[:3] for each in dynamics.standing(q, FEET, 5.0).wrenches.values()])
    assert free <= np.linalg.norm([each[:3] for each in found.wrenches.values()]) + 1e-9


def test_where_there_are_none_it_says_over_which_edge() -> None:
    dynamics = InverseDynamics(ANYMAL, backend='python')
    p = dynamics.centre_of_mass(np.zeros(12))[0]
    poses = dynamics.forward_kinematics(np.zeros(12), FEET)
    with pytest.raises(BalanceError) as caught:
        dynamics.standing(np.zeros(12), FEET[:2])
    words = str(caught.value)
    assert words.startswith('it would tip over the edge LF_FOOT to RF_FOOT by ')
    a, b = poses['LF_FOOT'][1][:2], poses['RF_FOOT'][1][:2]
    along = (b - a) / np.linalg.norm(b - a)
    beyond = abs(along[0] * (p - poses['LF_FOOT'][1])[1] - along[1] * (p[:2] - a)[0])
    assert float(words.split()[-2]) == pytest.approx(beyond, rel=2e-3)
    with pytest.raises(BalanceError, match='tip over LF_FOOT by'):
        dynamics.standing(np.zeros(12), ['LF_FOOT'])
    with pytest.raises(BalanceError, match='tip over a corner of RH_FOOT by'):
        dynamics.standing(np.zeros(12), {'RH_FOOT': (0.1, 0.1)})


def test_a_floating_joint_in_the_urdf_changes_nothing_and_parts_stand() -> None:
    text = TALOS.read_text()
    floats = text.replace('</robot>', """<link name="world"/><joint name="free" type="floating">
        <parent link="world"/><child link="base_link"/></joint></robot>""")
    dynamics = InverseDynamics(text, backend='python')
    q = np.array([0.01 if 'leg' in name else 0.0 for name in dynamics.joint_names])
    expected = dynamics.standing(q, SOLES)
    for base in ('auto', 'fixed'):
        found = InverseDynamics(floats, backend='python', base=base).standing(q, SOLES)
        assert found.efforts == pytest.approx(expected.efforts, abs=1e-9)
    legs = InverseDynamics(text, backend='python', lock={
        name: 0.0 for name in dynamics.joint_names if 'leg' not in name})
    part = legs.standing([0.01] * legs.n, SOLES).efforts
    assert part == pytest.approx(expected.efforts[q != 0.0], abs=1e-9)


def test_a_push_that_feet_cannot_resist_slips() -> None:
    dynamics = InverseDynamics(ANYMAL, backend='python', loads=Loads(external=('base',)))
    push = {'base': (0.0, 40.0, 0.0, 0.0, 0.0, 0.0)}
    with pytest.raises(BalanceError, match=r'would slip: mu 0.05 is too little, 0\.1') as caught:
        dynamics.standing(np.zeros(12), FEET, 0.05, external=push)
    needed = float(str(caught.value).split()[-3])
    assert needed == pytest.approx(40.0 / (9.81 * dynamics.model.mass), rel=0.05)
    found = dynamics.standing(np.zeros(12), FEET, needed * 1.01, external=push)
    assert sum(found.wrenches.values())[1] == pytest.approx(-40.0)


def test_a_payload_weighs_and_what_is_wrong_is_named() -> None:
    dynamics = InverseDynamics(ANYMAL, backend='python', loads=Loads(payload='base'))
    found = dynamics.standing(np.zeros(12), FEET, payload=Payload(mass=10.0))
    assert sum(found.normal.values()) == pytest.approx(9.81 * (dynamics.model.mass + 10.0))
    for feet, mu, error in (([], 0.6, ParameterError), ('LF_FOOT', 0.6, ParameterError),
                            (FEET, 0.0, ParameterError), ({'LF_FOOT': (0.1,)}, 1, ParameterError),
                            ({'LF_FOOT': 0.1}, 0.6, ParameterError)):
        with pytest.raises(error):
            dynamics.standing(np.zeros(12), feet, mu, payload=Payload(mass=0.0))
    with pytest.raises(StateError, match='one state'):
        dynamics.standing(np.zeros((2, 12)), FEET, payload=Payload(mass=0.0))


def test_the_command_prints_efforts_and_feet_or_no(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['torque', str(ANYMAL), '--standing', *FEET, '--json']) == 0
    data = json.loads(capsys.readouterr().out)
    found = InverseDynamics(ANYMAL, backend='python').standing(np.zeros(12), FEET)
    assert [row['effort'] for row in data['joints']] == pytest.approx(found.efforts)
    assert data['feet']['LF_FOOT'] == pytest.approx(found.wrenches['LF_FOOT'])
    assert main(['torque', str(TALOS), '--standing', *(f'{foot}:0.2x0.12' for foot in SOLES),
                 '--terms']) == 0
    out = capsys.readouterr().out
    assert 'normal force' in out and 'left_sole_link' in out and 'feet' in out.splitlines()[0]
    assert main(['torque', str(ANYMAL), '--standing', *FEET[:2]]) == 1
    assert capsys.readouterr().out.startswith('no: it would tip over the edge LF_FOOT to RF_FOOT')
    for words in (['--standing', 'LF_FOOT:big'], ['--mu', '0.3'],
                  ['--standing', *FEET, '--qd', *['1'] * 12]):
        assert main(['torque', str(ANYMAL), *words]) == 1
        assert 'error: --' in capsys.readouterr().err
