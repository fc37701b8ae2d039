"""
Results of Pinocchio and MuJoCo for a URDF text, at a state by joint names.

Neither knows what a mimic joint does to an effort: both get every joint as an independent one,
and the followers are moved, and their efforts reflected to the joints that drive them, here.

"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from urdf2dyn_ros import InverseDynamics, RobotModel, export_model

Array = NDArray[np.float64]
State = Mapping[str, tuple[float, float, float]]
"""Joint name to position, velocity and acceleration."""

GRAVITY = (0.0, 0.0, -9.81)
TURNING = {'revolute', 'continuous'}
MOVING = TURNING | {'prismatic'}
_LIMITS = {'lower': '-1e9', 'upper': '1e9', 'effort': '1e9', 'velocity': '1e9'}
_INERT = '<mujoco><compiler discardvisual="true" balanceinertia="false"/></mujoco>'


def random_state(names: Iterable[str], seed: int = 0) -> dict[str, tuple[float, float, float]]:
    """Return a state with angles all around and velocities and accelerations to match."""
    rng = np.random.default_rng(seed)
    return {name: tuple(rng.normal(size=3) * (1.5, 2.0, 5.0)) for name in names}


def columns(names: Iterable[str], state: State) -> Array:
    return np.array([state[name] for name in names]).reshape(-1, 3).T


def worst(found: Iterable[float], expected: Iterable[float]) -> float:
    """Return the largest difference, relative to the largest expected value."""
    a, b = np.ravel([*found]), np.ravel([*expected])
    assert a.shape == b.shape
    assert np.isfinite(a).all()
    largest = np.abs(b).max(initial=0.0)
    return float(np.abs(a - b).max(initial=0.0) / (largest or 1.0))


def prepared(text: str | bytes) -> str:
    """Return a URDF whose root is fixed, whose limits are out of reach, without friction."""
    robot = ElementTree.fromstring(text)
    children = {child.get('link') for child in robot.iterfind('joint/child')}
    for joint in robot.iterfind('joint'):
        parent = joint.find('parent')
        assert parent is not None
        if joint.get('type') == 'floating' and parent.get('link') not in children:
            joint.set('type', 'fixed')
        for element in joint.findall('dynamics') + joint.findall('limit'):
            joint.remove(element)
        if joint.get('type') in ('revolute', 'prismatic'):
            ElementTree.SubElement(joint, 'limit', _LIMITS)
    return ElementTree.tostring(robot, encoding='unicode')


class Mimics:
    """Which joints follow which: position = multiplier * position of the other + offset."""

    def __init__(self, text: str) -> None:
        self._of: dict[str, tuple[str, float, float]] = {}
        for joint in ElementTree.fromstring(text).iterfind('joint'):
            mimic = joint.find('mimic')
            if mimic is not None and joint.get('type') in MOVING:
                self._of[joint.attrib['name']] = (
                    mimic.attrib['joint'], float(mimic.get('multiplier', 1.0)),
                    float(mimic.get('offset', 0.0)))

    def expanded(self, state: State) -> dict[str, tuple[float, float, float]]:
        """Return the state of all joints from that of the independent ones."""
        result = dict(state)
        while len(result) < len(state) + len(self._of):
            for name, (driver, k, offset) in self._of.items():
                if driver in result and name not in result:
                    q, qd, qdd = result[driver]
                    result[name] = (k * q + offset, k * qd, k * qdd)
        return result

    def reflected(self, efforts: Mapping[str, float]) -> dict[str, float]:
        """Return the efforts of the independent joints from those of all."""
        result = {name: effort for name, effort in efforts.items() if name not in self._of}
        for name, effort in efforts.items():
            while name in self._of:
                name, k, _ = self._of[name]
                effort = k * effort
                if name not in self._of:
                    result[name] += effort
        return result


class Pinocchio:
    """Efforts and motion of every body by Pinocchio's recursive Newton-Euler algorithm."""

    def __init__(self, text: str | bytes, gravity: tuple[float, float, float] = GRAVITY) -> None:
        text = prepared(text)
        self._mimics = Mimics(text)
        self._model = pin.buildModelFromXML(text)
        self._model.gravity.linear = np.array(gravity)
        self._data = self._model.createData()

    def efforts(self, state: State) -> dict[str, float]:
        effort = pin.rnea(self._model, self._data, *self._vectors(state))
        return self._mimics.reflected({
            name: float(effort[joint.idx_v]) for name, joint in self._joints()})

    def largest_wrench(self) -> float:
        """Return the largest part of a wrench that a joint transmits, at the last efforts."""
        return max((abs(self._data.f[joint.id].vector).max() for _, joint in self._joints()),
                   default=0.0)

    def accelerations(self, state: State) -> dict[str, float]:
        """Return accelerations by the articulated-body algorithm: efforts are third in a state."""
        found = pin.aba(self._model, self._data, *self._vectors(state))
        return {name: float(found[joint.idx_v]) for name, joint in self._joints()}

    def derivatives(self, names: Sequence[str], state: State) -> list[Array]:
        """Return the derivatives of the efforts by q, qd and qdd, (3, n, n), in this order."""
        found = pin.computeRNEADerivatives(self._model, self._data, *self._vectors(state))
        full = [np.array(each) for each in found]
        full[2] = np.triu(full[2]) + np.triu(full[2], 1).T
        follow = self._follow(names)
        return [follow @ each @ follow.T for each in full]

    def regressor(self, names: Sequence[str], state: State) -> Array:
        """Return that of the efforts of the independent joints, (n, 10 bodies)."""
        found = pin.computeJointTorqueRegressor(self._model, self._data, *self._vectors(state))
        return self._follow(names) @ found.reshape(self._model.nv, -1)

    def momentum(self, names: Sequence[str], state: State) -> list[Array]:
        """Return M qd, C' qd and the efforts of gravity, of the independent joints."""
        model, data, (q, qd, _) = self._model, self._data, self._vectors(state)
        upper = pin.crba(model, data, q)
        M = np.triu(upper) + np.triu(upper, 1).T
        C = pin.computeCoriolisMatrix(model, data, q, qd)
        gravity = pin.computeGeneralizedGravity(model, data, q)
        return [self._follow(names) @ each for each in (M @ qd, C.T @ qd, gravity)]

    def energy(self, state: State) -> list[float]:
        """Return kinetic and potential energy, with that of what is fixed to the root."""
        model, data, (q, qd, _) = self._model, self._data, self._vectors(state)
        root = model.inertias[0]
        return [pin.computeKineticEnergy(model, data, q, qd),
                pin.computePotentialEnergy(model, data, q)
                - root.mass * float(model.gravity.linear @ root.lever)]

    def centre_of_mass(self, names: Sequence[str], state: State) -> list[Array]:
        """Return position, velocity and Jacobian, with what is fixed to the root."""
        model, data, (q, qd, _) = self._model, self._data, self._vectors(state)
        root, J = model.inertias[0], pin.jacobianCenterOfMass(model, data, q)
        pin.centerOfMass(model, data, q, qd)
        share = data.mass[0] / (data.mass[0] + root.mass)
        return [share * data.com[0] + (1.0 - share) * root.lever, share * data.vcom[0],
                share * J.reshape(3, -1) @ self._follow(names).T]

    def motion(self, state: State) -> dict[str, Array]:
        """Return what the exported `dynamic_model` returns: vectors in the root frame."""
        vectors = self._vectors(state)
        model, data = self._model, self._data
        pin.rnea(model, data, *vectors)
        wrenches = [data.f[i].copy() for i in range(model.njoints)]
        pin.forwardKinematics(model, data, *vectors)
        pin.updateFramePlacements(model, data)
        found = {}
        for i, frame in enumerate(model.frames):
            if frame.name != 'universe':
                at = (model, data, i, pin.LOCAL_WORLD_ALIGNED)
                found[f'position_{frame.name}'] = data.oMf[i].translation.copy()
                twist = pin.getFrameVelocity(*at)
                found[f'velocity_{frame.name}'] = twist.linear
                found[f'angular_velocity_{frame.name}'] = twist.angular
                found[f'orientation_{frame.name}'] = data.oMf[i].rotation.copy()
                found[f'acceleration_{frame.name}'] = pin.getFrameClassicalAcceleration(*at).linear
        for name, joint in self._joints():
            rotation = data.oMi[joint.id].rotation
            found[f'forces_{name}'] = rotation @ wrenches[joint.id].linear
            found[f'torques_{name}'] = rotation @ wrenches[joint.id].angular
        return found

    def link(self, state: State, link: str, axes: str) -> dict[str, Array]:
        """Return what `forward_kinematics`, `jacobian` and `frame_motion` return for a link."""
        q, qd, qdd = self._vectors(state)
        model, data = self._model, self._data
        pin.forwardKinematics(model, data, q, qd, qdd)
        pin.updateFramePlacements(model, data)
        frame = model.getFrameId(link, pin.FrameType.BODY)
        at = {'root': pin.LOCAL_WORLD_ALIGNED, 'link': pin.LOCAL}[axes]
        J = pin.computeFrameJacobian(model, data, q, frame, at)
        return {'R': data.oMf[frame].rotation.copy(), 'p': data.oMf[frame].translation.copy(),
                'J': J.reshape(6, model.nv) @ self._follow([*state]).T,
                'twist': pin.getFrameVelocity(model, data, frame, at).vector,
                'acceleration': pin.getFrameClassicalAcceleration(model, data, frame, at).vector}

    def pressed(self, state: State, link: str, wrench: Array, frame: str = '') -> Array:
        """Return J'F of a wrench on a link, which is said in its frame or in another link's."""
        at = self.link(state, link, 'root')
        said = self.link(state, frame, 'root') if frame else at
        force, moment = said['R'] @ wrench[:3], said['R'] @ wrench[3:]
        return at['J'].T @ [*force, *(moment + np.cross(said['p'] - at['p'], force))]

    def _follow(self, names: Sequence[str]) -> Array:
        """Return how all joints move with each independent one, with those that follow it."""
        return np.reshape([self._vectors({each: (0.0, float(each == name), 0.0)
                                          for each in names})[1] for name in names],
                          (len(names), self._model.nv))

    def _joints(self) -> list[tuple[str, Any]]:
        return list(zip(self._model.names, self._model.joints))[1:]

    def _vectors(self, state: State) -> tuple[Array, Array, Array]:
        state = self._mimics.expanded(state)
        q, qd, qdd = pin.neutral(self._model), *np.zeros((2, self._model.nv))
        for name, joint in self._joints():
            position, qd[joint.idx_v], qdd[joint.idx_v] = state[name]
            q[joint.idx_q] = position
            if joint.nq == 2:
                q[joint.idx_q:joint.idx_q + 2] = np.cos(position), np.sin(position)
        return q, qd, qdd


class MuJoCo:
    """Efforts by MuJoCo's inverse dynamics, without constraints, contacts, limits and damping."""

    def __init__(self, text: str | bytes, gravity: tuple[float, float, float] = GRAVITY) -> None:
        text = prepared(text)
        self._mimics = Mimics(text)
        self._model = mujoco.MjModel.from_xml_string(text.replace('</robot>', _INERT + '</robot>'))
        self._model.opt.gravity = gravity
        self._model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        self._data = mujoco.MjData(self._model)

    def set_armature(self, joint: str, armature: float) -> None:
        self._model.dof_armature[self._model.joint(joint).dofadr[0]] = armature

    def efforts(self, state: State) -> dict[str, float]:
        model, data = self._model, self._data
        state = self._mimics.expanded(state)
        names = [model.joint(i).name for i in range(model.njnt)]
        data.qpos[:], data.qvel[:], data.qacc[:] = columns(names, state)
        mujoco.mj_inverse(model, data)
        return self._mimics.reflected(dict(zip(names, map(float, data.qfrc_inverse))))


@lru_cache(maxsize=8)
def exported(model: RobotModel, style: str = 'readable',
             gravity: tuple[float, float, float] = GRAVITY) -> dict[str, Any]:
    text, = export_model(model, 'python', style, 'robot', gravity).values()
    namespace: dict[str, Any] = {'__name__': 'robot'}
    exec(compile(text, 'robot.py', 'exec'), namespace)
    return namespace


def efforts_of(model: RobotModel, state: State,
               gravity: tuple[float, float, float] = GRAVITY) -> dict[str, float]:
    dynamics = InverseDynamics(model, gravity, base='fixed')
    names = dynamics.joint_names
    return dict(zip(names, map(float, dynamics(*columns(names, state)))))


def motion_of(model: RobotModel, state: State) -> dict[str, list[float]]:
    """Return what this package's exported script says about every joint and link."""
    script = exported(model)
    return script['dynamic_model']([state[name] for name in script['JOINT_NAMES']])


def difference(found: Mapping[str, Any], expected: Mapping[str, Any]) -> float:
    """Return the largest difference by name, relative to the largest expected value."""
    assert set(found) == set(expected)
    return worst(*(np.concatenate([[], *(np.ravel(each[name]) for name in expected)])
                   for each in (found, expected)))
