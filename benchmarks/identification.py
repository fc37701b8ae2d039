"""
How well robots with wrong URDFs are identified: the torque error on another motion.

    .venv/bin/python benchmarks/identification.py FOLDER

A UR5 and a Panda are simulated with the inertias of their URDFs, friction, and for the UR5 rotors.
The URDF that identify begins with has masses, centres and inertias that are 20 to 50 % off.
Recordings have 125 Hz, encoders of 17 bits and 3 % noise of the efforts; motions are five
harmonics of 0.1 Hz within half of the limits. The torque error is the norm of the error of all
joints over that of their efforts on another motion; medians of several wrong URDFs.

"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from urdf2dyn_ros.identification.checks import checked
from urdf2dyn_ros.identification.identification import Identification
from urdf2dyn_ros.identification.identification import identified as fitted
from urdf2dyn_ros.identification.identified_files import identified_joint_terms, identified_model
from urdf2dyn_ros.identification.robot import prior_of, robot_of
from urdf2dyn_ros.identification.rows import RecordedNames, RecordedSegment, pieces_of
from urdf2dyn_ros.identification.summary import summarised
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.robot.terms import Friction, JointTerm, Rotor

CASES = {'UR5': ('ur_description/urdf/ur5_robot.urdf', 0.1, (5.0, 10.0, 20.0, 40.0)),
         'Panda': ('panda_description/urdf/panda.urdf', 0.0, (5.0, 10.0, 20.0))}
"""URDF, rotor inertia over the largest inertia of a body about its joint, durations [s]."""

RATE, BITS, NOISE = 125.0, 17, 0.03
HARMONICS = 2.0 * np.pi * 0.1 * np.arange(1, 6)
FRACTION = 0.5
START = 10**18


def wrong(model: RobotModel, rng: np.random.Generator) -> RobotModel:
    """Return a model that is 20 to 50 % off: possible bodies, all too heavy or all too light."""
    sign = rng.choice((-1.0, 1.0))

    def factor(count: int) -> Array:
        return 1.0 + sign * rng.uniform(0.2, 0.5, count)

    links = []
    for link in model.links:
        if link.inertia is not None:
            mass, size = factor(2)
            com = tuple(float(x) for x in np.array(link.inertia.com) * factor(3))
            tensor = tuple(float(size * entry) for entry in link.inertia.tensor)
            link = replace(link, inertia=replace(
                link.inertia, mass=float(mass * link.inertia.mass), com=com, tensor=tensor))
        links.append(link)
    return replace(model, links=tuple(links))


def motion(dynamics: InverseDynamics, seconds: float, rng: np.random.Generator) -> list[Array]:
    """Return times, and positions to accelerations of the turning joints."""
    time = np.arange(round(seconds * RATE)) / RATE
    result = np.zeros((3, len(time), len(dynamics.joint_names)))
    for joint, limit in enumerate(dynamics.limits):
        if dynamics.units[joint] != 'rad':
            continue
        a, b = rng.normal(size=(2, len(HARMONICS), 1)) / np.arange(1, 6)[:, None]
        angle = HARMONICS[:, None] * time
        w = HARMONICS[:, None]
        values = np.array([(a * np.sin(angle) - b * np.cos(angle)).sum(axis=0),
                           (w * (a * np.cos(angle) + b * np.sin(angle))).sum(axis=0),
                           (w * w * (b * np.cos(angle) - a * np.sin(angle))).sum(axis=0)])
        low, high = (max(limit.lower, -np.pi), min(limit.upper, np.pi)) if (
            limit.upper > limit.lower) else (-np.pi, np.pi)
        fastest = limit.velocity or 3.0
        scale = FRACTION * min(0.5 * (high - low) / np.abs(values[0]).max(),
                               fastest / np.abs(values[1]).max())
        result[:, :, joint] = scale * values
        result[0, :, joint] += 0.5 * (low + high)
    return [time, *result]


def terms_of(model: RobotModel, dynamics: InverseDynamics, rotor: float,
             motions: Array) -> dict[str, tuple[JointTerm, ...]]:
    """Return friction of some percent of the efforts, and rotors."""
    sizes = dynamics(*motions).std(axis=0)
    robot = robot_of(model, dynamics)
    largest = float(prior_of(robot.system).nominal[:, [4, 7, 9]].max())
    return {name: (Friction(0.1 * size, 0.1 * size, 50.0, offset=0.01 * size),
                   Rotor(armature=rotor * largest))
            for name, size, unit in zip(dynamics.joint_names, sizes.tolist(), dynamics.units)
            if unit == 'rad'}


def identified(model: RobotModel, dynamics: InverseDynamics, motions: list[Array],
               rng: np.random.Generator) -> Identification:
    """Return what is identified from a recording of a robot, beginning with a wrong model."""
    time, q, qd, qdd = motions
    effort = dynamics(q, qd, qdd)
    effort = effort + NOISE * effort.std(axis=0) * rng.normal(size=effort.shape)
    step = 2.0 * np.pi / 2**BITS
    segment = RecordedSegment(START + np.round(1e9 * time).astype(np.int64),
                              np.round(q / step) * step, effort)
    robot = robot_of(model, InverseDynamics(model))
    names = RecordedNames(robot.joints, robot.dynamics.continuous, robot.dynamics.units)
    pieces = pieces_of([segment], names, 'simulated')
    return fitted(robot, [summarised(robot, 'simulated', pieces, checked(robot, pieces).used)])


def covered(found: Identification, truth: InverseDynamics) -> NDArray[np.bool_]:
    """Return which base parameters are within their 95 % intervals, (b,)."""
    base = found.base
    errors = np.abs(base.identified - truth.base_parameters.values)
    result: NDArray[np.bool_] = errors < 1.96 * base.deviations
    return result


def main() -> None:
    """Print a line for each robot and duration."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('folder', type=Path, help='robots of example-robot-data')
    parser.add_argument('--seeds', type=int, default=3)
    arguments = parser.parse_args()
    print('robot  recorded [s]  torque error: URDF  identified  '
          'base parameters within 95 % intervals [%]')
    for name, (path, rotor, durations) in CASES.items():
        model = read_urdf((arguments.folder / path).read_bytes())
        bare = InverseDynamics(model)
        for seconds in durations:
            rows, within = [], []
            for seed in range(arguments.seeds):
                rng = np.random.default_rng(seed)
                other = motion(bare, 10.0, rng)
                terms = terms_of(model, bare, rotor, np.array(other[1:]))
                truth = InverseDynamics(model, loads=Loads(terms=terms))
                nominal = wrong(model, rng)
                with threadpool_limits(1, user_api='blas'):
                    found = identified(nominal, truth, motion(bare, seconds, rng), rng)
                model_of = InverseDynamics(identified_model(found),
                                           loads=Loads(terms=identified_joint_terms(found)))
                measured = truth(*other[1:])
                errors = [np.linalg.norm(each(*other[1:]) - measured) / np.linalg.norm(measured)
                          for each in (InverseDynamics(nominal), model_of)]
                rows.append(errors)
                within.append(covered(found, bare))
            (urdf, own), share = np.median(rows, axis=0), 100.0 * np.mean(within)
            print(f'{name:5}  {seconds:12g}  {urdf:18.3f}  {own:10.4f}  {share:25.0f}', flush=True)


if __name__ == '__main__':
    main()
