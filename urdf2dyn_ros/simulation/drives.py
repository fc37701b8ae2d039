"""Drives of a simulated robot: friction, rotors, springs, and laws that follow a motion."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.joints import AT_REST, JOINTS, Coordinate
from urdf2dyn_ros.robot.loads import GRAVITY_PARAMETER, JOINT_PARAMETERS, TERMS
from urdf2dyn_ros.robot.model import Joint
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.robot.terms import JointTerm
from urdf2dyn_ros.simulation import SIMULATORS
from urdf2dyn_ros.simulation.simulator import EFFORTS, SimulatedSample, Simulator
from urdf2dyn_ros.simulation.trajectories import TRAJECTORIES

# ---- Friction, rotors and springs of the drives, which actuators overcome in addition to the
# links
#
# A drive whose inner loop delivers the effort that moves the links, tau_links, has to supply
#
#     tau = tau_links + rotor qdd + friction(qd) + spring(q)
#
# for the motion that happens. So the engine moves the links alone, and neither its constraints nor
# its steps limit how stiff a friction may be.

class Drives:
    """
    The drives of n joints, with parameters ``joints.<joint>.*`` by their full names.

    Only what is set counts, not <dynamics> of the URDF. A ParameterError names joints that the
    robot does not have.
    """

    def __init__(self, joints: Sequence[Joint], values: Mapping[str, Any]) -> None:
        settings = JOINT_PARAMETERS.of(values)
        names = [joint.name for joint in joints]
        unknown = [name for name in settings if name not in names]
        if unknown:
            raise ParameterError(f'parameters joints.{unknown[0]}.*: there is no joint '
                                 f'{unknown[0]!r} with a drive; there are {", ".join(names)}')
        self._terms = [_terms(joint, settings.get(joint.name, {})) for joint in joints]

    def efforts(self, sample: SimulatedSample) -> Array:
        """Return the efforts (n,) of the drives [N m or N] in addition to those of the links."""
        result = np.zeros(len(self._terms))
        for number, terms in enumerate(self._terms):
            q, qd, qdd = (float(values[number]) for values in (
                sample.q, sample.velocity, sample.qdd))
            at = Coordinate(q, qd, qdd)
            result[number] = sum(float(term.effort(AT_REST, at, float(sample.net[number])))
                                 for term in terms)
        return result


def _terms(joint: Joint, settings: Mapping[str, float]) -> list[JointTerm]:
    terms: list[JointTerm] = []
    for term in TERMS.values():
        fields = {field: row.value(settings[row.setting]) for field, row in term.rows().items()
                  if row.setting in settings}
        made = term(**fields)
        made.check(joint.name, JOINTS[joint.type])
        if not made.is_off():
            terms.append(made)
    return terms


# ---- The table of controls: laws by which a simulated robot follows a motion

_KP, _KD = 400.0, 40.0
"""Gains on position and velocity errors [1/s^2], [1/s]: critically damped, 20 rad/s."""

_POSITION_GAIN = 10.0
"""Gain on the position error of a commanded velocity [1/s]."""


class Control(NamedTuple):
    """
    The kind of a command, one of ``COMMANDED``, and the law that gives it (n,).

    A law is a function of the simulator and of the desired q, qd and qdd (n,).
    """

    command: str
    law: Callable[[Simulator, Array, Array, Array], Array]


def computed_torque(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    """Return efforts by the engine's own model, without Coulomb friction."""
    return simulator.required(qdd + _KP * (q - simulator.q) + _KD * (qd - simulator.qd))


def pd(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    """Return efforts of a spring and a damper at every joint; the robot sags under gravity."""
    return simulator.inertia * (_KP * (q - simulator.q) + _KD * (qd - simulator.qd))


def velocity(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the desired velocities, corrected by the position error."""
    return qd + _POSITION_GAIN * (q - simulator.q)


def position(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    return q


CONTROLS = {
    'computed_torque': Control('effort', computed_torque),
    'pd': Control('effort', pd),
    'velocity': Control('velocity', velocity),
    'position': Control('position', position),
}


# ---- The parameters of the node `joint_simulator`

BY_TOPIC = 'topic'
"""A motion that is not in the table: it is received as a message."""

BY_FILE = 'file'
"""A motion that is not in the table: it is that of a file."""

SIMULATOR_PARAMETERS = (
    Parameter('robot_description', '', 'The robot, as URDF.', read_only=True),
    Parameter('simulator', 'dart', 'Physics engine.', choices=tuple(SIMULATORS), read_only=True),
    replace(GRAVITY_PARAMETER, read_only=True),
    Parameter('friction', False, 'Whether damping and friction of the URDF act in the joints.',
              read_only=True),
    Parameter('effort', 'net', 'Which effort is published: net, what a wrench sensor in the '
              'joint would see and Gazebo Sim publishes, without friction; or commanded, what '
              'the actuator supplies, including the friction and rotors of the drives that '
              'joints.<joint>.* are, as in the parameters of inverse_dynamics.',
              choices=EFFORTS, read_only=True),
    Parameter('control', 'computed_torque', 'What the engine is commanded: efforts by its own '
              "model, efforts of a spring and a damper (pd), or what the engine's servos follow.",
              choices=tuple(CONTROLS), read_only=True),
    Parameter('trajectory', 'smooth', 'How the robot moves; file: as trajectory_file says; topic: '
              'as the last message on ~/joint_trajectory says.',
              choices=(*TRAJECTORIES, BY_FILE, BY_TOPIC), read_only=True),
    Parameter('trajectory_file', '', 'Motion for trajectory: file, as urdf2dyn excite writes it: '
              'a table (.csv: time, q_<joint>, qd_<joint>), which begins at its first row, or a '
              'trajectory_msgs/JointTrajectory (.yaml), which begins where the other motions do.',
              read_only=True),
    Parameter('duration', 20.0, 'How long the robot moves; a file has its own duration.',
              unit='s', minimum=0.5, maximum=86400.0, read_only=True),
    Parameter('physics_step', 0.001, 'Time step of the engine.', unit='s', minimum=1e-5,
              maximum=0.01, read_only=True),
    Parameter('publish_rate', 250.0, 'Joint states for each second of simulated time; one is '
              'published every whole number of physics steps.', unit='Hz', minimum=1.0,
              maximum=10000.0, read_only=True),
    Parameter('real_time_factor', 1.0, 'Simulated time for each second.', minimum=0.01,
              maximum=100.0, read_only=True),
    Parameter('publish_clock', False, 'Publish /clock with every joint state, for nodes with '
              'use_sim_time; time then begins at 0.', read_only=True),
    Parameter('start.subscribers', 1, 'Subscribers of joint_states that the motion waits for.',
              minimum=0, read_only=True),
    Parameter('start.timeout', 20.0, 'It starts without them after this time.', unit='s',
              minimum=0.0, read_only=True),
)
