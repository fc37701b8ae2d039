"""What is said of each faulty URDF, and efforts of some robots, as they are."""

from typing import Any

import numpy as np

from support.frozen import assert_frozen
from support.mechanisms import mechanism
from support.paths import TEST
from support.robot_files import robot_path
from urdf2dyn_ros import InverseDynamics, Loads, UrdfError, read_urdf
from urdf2dyn_ros.robot.terms import Friction, Rotor, Spring

ROBOTS = ('rx90', 'scara', 'ur5_robot', 'panda', 'solo12', 'allegro_left_hand', 'iris',
          'double_pendulum', 'tiago')
LOOPS = 'five_bar', 'palletizer', 'ankle'
TERMS = Friction(2.0, 1.5, 100.0, 0.5, 400.0, 0.1), Rotor(1e-4, 50.0, gyroscopic=True), Spring(3.0)


def test_messages_are_frozen() -> None:
    found: dict[str, Any] = {}
    for path in sorted((TEST / 'corpus').glob('*.urdf')):
        try:
            said = [str(problem) for problem in read_urdf(path.read_bytes()).warnings]
        except UrdfError as error:
            said = [line for line in str(error).splitlines() if '[xml]' not in line]   # lxml's
        found[path.stem] = {'': said}
    assert_frozen('messages', found)


def test_efforts_are_frozen() -> None:
    found: dict[str, Any] = {}
    for name in (*ROBOTS, *LOOPS):
        model = read_urdf(mechanism(name) if name in LOOPS else robot_path(name))
        for loads in (Loads('fixed'), Loads('fixed', {
                joint.name: TERMS for joint in model.joints if joint.type == 'revolute'})):
            dynamics = InverseDynamics(model, loads=loads, backend='python')
            n = len(dynamics.joint_names)
            state = [scale * np.cos(np.arange(n) + phase)
                     for scale, phase in ((0.03, 0.0), (1.0, 1.0), (2.0, 2.0))]
            found[f'{name}{", terms" if loads.terms else ""}'] = {
                'efforts': dynamics(*state)[:8].tolist(),
                'energy': np.sum(dynamics.energy(*state[:2])).tolist(),
                'warnings': [str(problem) for problem in model.warnings][:9]}
    assert_frozen('efforts', found)
