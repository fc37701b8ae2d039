"""Drives of a simulated robot: what they add to the efforts, by an independent engine."""

import numpy as np
import pytest

from support.robot_files import OWN
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.simulation import simulator_class
from urdf2dyn_ros.simulation.simulator import Drives, SimulatedSample

mujoco = pytest.importorskip('mujoco')
TEXT = (OWN / 'robot_2r.urdf').read_text()
JOINTS = read_urdf(TEXT).joints
ARMATURE, DAMPING, COULOMB = (3.0, 0.5), (2.0, 7.0), (4.0, 1.0)
VALUES = {f'joints.joint{number}.{name}': values[number - 1] for number in (1, 2)
          for name, values in (('armature', ARMATURE), ('viscous', DAMPING),
                               ('coulomb', COULOMB), ('friction_width', (1e-3, 1e-3)))}


def test_net_efforts_and_drives_are_mujocos_efforts_with_armature_and_friction() -> None:
    """MuJoCo's inverse dynamics for samples that DART stepped."""
    pytest.importorskip('dartpy', exc_type=ImportError)
    engine = mujoco.MjModel.from_xml_string(TEXT)
    engine.dof_armature[:], engine.dof_damping[:] = ARMATURE, DAMPING
    engine.opt.gravity[:] = 0.0, 0.0, -9.81
    data = mujoco.MjData(engine)
    simulator = simulator_class('dart')(read_urdf(TEXT))
    simulator.set_state(np.array([0.3, -0.4]), np.array([0.5, -0.8]))
    drives = Drives(JOINTS, VALUES)
    for _ in range(20):
        sample = simulator.step(np.array([3.0, -8.0]))
        data.qpos[:], data.qvel[:], data.qacc[:] = sample.q, sample.velocity, sample.qdd
        mujoco.mj_inverse(engine, data)
        expected = data.qfrc_inverse + COULOMB * np.sign(sample.velocity)
        found = sample.net + drives.efforts(sample)
        np.testing.assert_allclose(found, expected, rtol=2e-3, atol=1e-2)


def test_without_parameters_they_add_nothing() -> None:
    """Damping and friction of the URDF act in the engine, if at all."""
    joints = read_urdf(TEXT.replace('</joint>', '<dynamics damping="5"/></joint>')).joints
    sample = SimulatedSample(0.0, *np.outer([1.0, 2.0, 3.0, 5.0, 7.0, 11.0], [1.0, 1.0]))
    np.testing.assert_array_equal(Drives(joints, {}).efforts(sample), 0.0)
    drives = Drives(joints, {'joints.joint1.viscous': 0.1, 'joints.joint1.load': 0.01,
                             'joints.joint1.spring_stiffness': 100.0})   # 5 rad/s, 7 N m, 1 rad
    np.testing.assert_allclose(drives.efforts(sample), [0.5 + 0.07 + 100.0, 0.0])


@pytest.mark.parametrize(('values', 'words'), [
    ({'joints.elbow.armature': 1.0}, "there is no joint 'elbow'"),
    ({'joints.joint1.armature': -1.0}, 'armature of joint')])
def test_drives_that_no_joint_can_have_are_rejected(values: dict, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Drives(JOINTS, values)
