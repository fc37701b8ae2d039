"""Motions from which a robot's parameters can be identified as well as its limits allow."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import yaml

from urdf2dyn_ros.errors import IdentificationError, LoopError, ParameterError
from urdf2dyn_ros.identification.robot import joint_friction
from urdf2dyn_ros.identification.rows import STILL_RANGE
from urdf2dyn_ros.inverse_dynamics import InverseDynamics, checked_dynamics
from urdf2dyn_ros.robot.model import Limits, RobotModel
from urdf2dyn_ros.robot.parameters import load_yaml, yaml_fault
from urdf2dyn_ros.robot.spatial import LARGEST_MAGNITUDE, Array
from urdf2dyn_ros.simulation.simulator import find_gears
from urdf2dyn_ros.text import csv_cell, printable

# ---- The limits that a motion keeps: fractions of those of the URDF, or of a file

_NAMES = tuple(field.name for field in fields(Limits))
_DERIVATIVES = 'acceleration', 'deceleration', 'jerk'


class MotionLimits(NamedTuple):
    """Limits (n,) of a motion of n joints; accelerations and jerks without a limit have inf."""

    middle: Array   # positions are within it plus and minus half [rad or m]
    half: Array
    velocity: Array   # [rad/s or m/s]
    acceleration: Array   # the smaller one of speeding up and slowing down [rad/s^2 or m/s^2]
    jerk: Array   # [rad/s^3 or m/s^3]
    effort: Array   # [N m or N]
    rated: Array   # the whole limits of the efforts

    @property
    def derivatives(self) -> Array:
        """Those of positions, about the middle, to jerks (4, n)."""
        return np.stack((self.half, self.velocity, self.acceleration, self.jerk))


def read_limits(path: Path, joints: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """Return the limits of a YAML file: joint to some of the names of `Limits`."""
    where = printable(str(path))
    try:
        content = next(load_yaml(path.read_text(encoding='utf-8')), None)
    except OSError as error:
        raise ParameterError(f'cannot read {where}: {error.strerror}') from None
    except (yaml.YAMLError, ValueError) as error:   # no UTF-8, no such day, 5000 digits
        raise ParameterError(f'{where} is no YAML: {yaml_fault(error)}') from None
    rule = f'{where}: a line for each joint is needed, as "{joints[0]}: {{lower: -1, upper: 1}}"'
    if not isinstance(content, dict):
        raise ParameterError(rule)
    for joint, row in content.items():
        if joint not in joints:
            raise ParameterError(f'{where}: there is no joint {joint!r}; there are: '
                                 f'{", ".join(joints)}')
        if not isinstance(row, dict):
            raise ParameterError(rule)
        for name, value in row.items():
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if name not in _NAMES or not number or not abs(value) <= LARGEST_MAGNITUDE:
                raise ParameterError(f'{where}, joint {joint!r}: {name}: {value!r} must be a '
                                     f'number up to {LARGEST_MAGNITUDE:g} for one of '
                                     f'{", ".join(_NAMES)}')
    return content


def restrict_limits(model: RobotModel, dynamics: InverseDynamics, fraction: float,
                    changes: Mapping[str, Mapping[str, float]]) -> MotionLimits:
    """
    Return a fraction of the limits of the URDF, in part replaced by `changes`.

    Without limits of its own, a continuous joint has -pi to pi. Mimic joints keep theirs as well.
    A missing limit raises a ParameterError that names the joints.
    """
    of_drivers = {}
    if not model.closed_loops:   # in loops, motors have their own limits alone
        of_gears = find_gears(model)
        of_drivers = {joint.name: limits
                      for joint, limits in zip(of_gears.drivers, of_gears.limits)}
    rows, faults = [], []
    for joint, continuous, of_joint in zip(dynamics.joint_names, dynamics.continuous,
                                           dynamics.limits):
        limits = of_drivers.get(joint, of_joint)
        values: dict[str, float | None] = {
            # those of an empty range are not among the limits of the drivers
            **{name: sign * np.pi if continuous else
               getattr(of_joint, name) if getattr(limits, name) is None else getattr(limits, name)
               for name, sign in (('lower', -1.0), ('upper', 1.0))},
            **{name: getattr(limits, name) for name in ('velocity', *_DERIVATIVES)},
            'effort': of_joint.effort, **changes.get(joint, {})}
        missing = [name for name in ('lower', 'upper') if values[name] is None]
        missing += [name for name in ('velocity', 'effort') if not (values[name] or 0.0) > 0.0]
        acceleration, deceleration, jerk = (
            np.inf if (value := values[name]) is None else value for name in _DERIVATIVES)
        faults += [f'joint {joint!r}: no motion has a limit of {name} of {value:g}'
                   for name in _DERIVATIVES
                   if (value := values[name]) is not None and value <= 0.0]
        lower, upper, velocity, effort = (values[name] or 0.0 for name in (
            'lower', 'upper', 'velocity', 'effort'))
        if missing:
            faults.append(f'joint {joint!r} has no limit {", ".join(missing)}')
        elif not lower < upper:
            faults.append(f'joint {joint!r} has no range: lower {lower:g}, upper {upper:g}')
        rows.append(((lower + upper) / 2.0, *(fraction * most for most in (
            (upper - lower) / 2.0, velocity, min(acceleration, deceleration), jerk, effort)),
            effort))
    if faults:
        raise ParameterError('\n'.join(faults) + '\nwrite <limit lower upper velocity effort> in '
                             'the URDF, or a file for --limits with the lines "<joint>: {lower: '
                             '-1, upper: 1, velocity: 1, effort: 10}"')
    return MotionLimits(*np.array(rows).T)


# ---- The information of a motion about the parameters: its log det, and the gradient of that

_EFFORT_NOISE = 0.01   # standard deviation of measured efforts, as a share of their limits
# share of the largest velocity within which the Coulomb friction changes its sign
_SIGN_WIDTH = 0.05
_RIDGE = 1e-10   # information in units of a column's own of which nothing else is known
_STEPS = (1e-5, 1e-5, 1e-4)   # differences of positions, velocities and accelerations


class Information:
    """
    Columns of base parameters, then viscous and Coulomb friction and offsets, which are unknown.

    Rows are in units of the noise of the joint's effort, and count equally.
    """

    def __init__(self, dynamics: InverseDynamics, urdf_friction: Array,
                 limits: MotionLimits) -> None:
        self._dynamics, self.joint_names = dynamics, dynamics.joint_names
        base = dynamics.base_parameters
        self.count = len(base.names)
        self._parameters = np.concatenate((base.values, urdf_friction.T.ravel(),
                                           np.zeros(len(limits.rated))))
        self._width = _SIGN_WIDTH * limits.velocity
        self._weight = 1.0 / (_EFFORT_NOISE * limits.rated)
        self._scale = np.ones(len(self._parameters))

    def set_scale(self, motions: Array) -> None:
        """Divide columns by their sizes in motions (3, N, n), so that numbers are of one size."""
        rows = self._weight[:, None] * self._columns(motions)
        sizes = np.sqrt((rows**2).sum(axis=1).mean(axis=0))
        self._scale = 1.0 / np.where(sizes > 0.0, sizes, 1.0)

    def efforts(self, motion: Array) -> Array:
        """Return the efforts (N, n) of the URDF's robot in a motion (3, N, n)."""
        return self._columns(motion) @ self._parameters

    def log_det(self, motion: Array) -> float:
        """Return log det of the information of a row of a motion (3, N, n)."""
        rows = self._columns(motion) * self._weight[:, None] * self._scale
        log_det = np.linalg.slogdet(_average_information(rows))[1]
        return float(log_det) - 2.0 * float(np.log(self._scale).sum())

    def slopes(self, motion: Array, bound: Array, weight: float) -> tuple[float, Array]:
        """
        Return a cost of a motion (3, N, n), and its gradient (3, N, n).

        The cost is -log det, and the weight times the mean square by which efforts exceed bounds.
        """
        columns = self._columns(motion)
        rows = columns * self._weight[:, None] * self._scale
        matrix = _average_information(rows)
        ratio = columns @ self._parameters / bound
        excess = np.sign(ratio) * np.maximum(np.abs(ratio) - 1.0, 0.0)
        count = motion.shape[1]
        cost = weight * float((excess**2).sum()) / count - float(np.linalg.slogdet(matrix)[1])
        by_efforts = 2.0 * weight / count * excess / bound
        by_rows = -2.0 / count * rows @ np.linalg.inv(matrix)
        by_columns = (by_efforts[:, :, None] * self._parameters
                      + by_rows * self._weight[:, None] * self._scale)
        gradient = np.empty_like(motion)
        for kind, step in enumerate(_STEPS):
            for joint in range(motion.shape[2]):
                both = np.concatenate((motion, motion), axis=1)
                both[kind, :count, joint] += step
                both[kind, count:, joint] -= step
                near = self._columns(both)
                change = (near[:count] - near[count:]) / (2.0 * step)
                gradient[kind, :, joint] = np.einsum('tnp,tnp->t', by_columns, change)
        return cost, gradient

    def _columns(self, motion: Array) -> Array:
        _, count, n = motion.shape
        columns = np.zeros((count, n, len(self._parameters)))
        columns[:, :, :self.count] = self._dynamics.regressor(*motion)
        for number, values in enumerate((motion[1], np.tanh(motion[1] / self._width), 1.0)):
            places = self.count + n * number + np.arange(n)
            columns[:, np.arange(n), places] = values
        return columns


def _average_information(rows: Array) -> Array:
    """Return the mean information (p, p) of instants, from their rows (N, n, p)."""
    flat = rows.reshape(-1, rows.shape[-1])
    return flat.T @ flat / len(rows) + _RIDGE * np.eye(flat.shape[1])


# ---- Fourier series that are at rest at the beginning and at the end of each period

HARMONICS = 5
USUAL_PERIOD = 10.0   # approximate period [s]; a duration is a whole number of periods


def period_of(duration: float) -> float:
    """Return the period [s] that is closest to USUAL_PERIOD, and divides the duration [s]."""
    return duration / max(1, round(duration / USUAL_PERIOD))


def rest_functions(times: Array, period: float) -> Array:
    """
    Return functions of time (T, 2 h - 1) with their three derivatives, as (4, T, 2 h - 1).

    The first one is 1. The others span all sums of a_k sin(k w t) + b_k cos(k w t), k = 1 to h,
    with w = 2 pi / period, whose velocity sum k a_k and acceleration sum k^2 b_k are zero at 0.
    """
    k = np.arange(1.0, HARMONICS + 1.0)
    w = 2.0 * np.pi / period * k
    phase = np.outer(times, w)
    sine, cosine = np.sin(phase), np.cos(phase)
    a, b = (np.linalg.svd(row[None])[2][1:].T for row in (k, k**2))   # orthogonal to a row
    first = [np.ones((len(times), 1)), *np.zeros((3, len(times), 1))]
    parts = ((sine, cosine), (w * cosine, -w * sine), (-w**2 * sine, -w**2 * cosine),
             (-w**3 * cosine, w**3 * sine))
    return np.array([np.hstack((one, of_a @ a, of_b @ b))
                     for one, (of_a, of_b) in zip(first, parts)])


# ---- The motion with the largest log det of the information, by random starts and L-BFGS

RANDOM_MOTIONS = 100   # random motions, the best of which is the reference
_SEED = 1997
_STARTS = 3
# weight of what exceeds limits, and most steps with it; the first one from each start
_STAGES = ((1e3, 40), (1e4, 40), (1e5, 60))
_COARSE, _FINE = 100, 1000   # instants of a period, to optimise and to keep the limits
_SHARE_OF_LIMITS = 0.995   # share of the limits that the optimisation aims at
_LONGEST_MOTION = 300.0   # [s]
_NOT_CLOSED = 10.0   # added to the cost of the motion before where loops do not close
_MOST_SECONDS = 45.0   # then the best motion so far is the result


class Excitation(NamedTuple):
    """A motion of n joints that is at rest at both ends, and what it is worth."""

    information: Information
    limits: MotionLimits
    duration: float   # [s]
    period: float   # [s]
    swing: Array
    log_det: tuple[float, float]   # of the information of this motion, of the best random one
    random: int   # number of random motions
    complete: bool   # whether the optimisation ended in time

    def motion(self, times: Array) -> Array:
        """Return positions, velocities and accelerations, (3, T, n), at times [s] (T,)."""
        result = rest_functions(times, self.period)[:3] @ self.swing
        result[0] += self.limits.middle
        return result


class _OutOfTimeError(Exception):
    """The optimisation ends with what it has."""


def excite(dynamics: InverseDynamics, duration: float = 20.0, fraction: float = 0.5,
           changes: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
           show: Callable[[float], None] = lambda part: None) -> Excitation:
    """
    Return the motion within limits from which the parameters of a robot are identified best.

    It begins and ends at rest. Collisions are not checked. It takes up to a minute.

    Parameters
    ----------
    dynamics : InverseDynamics
        The robot, with its gravity; its base is fixed, and it has no loads.
    duration : float
        [s], 2 to 300.
    fraction : float
        Share of the limits of positions, velocities, accelerations, jerks and efforts that the
        motion may use.
    changes : mapping
        Name of a joint to some of lower, upper, velocity, effort, acceleration, deceleration and
        jerk, in the place of those of the URDF.
    show : callable, optional
        Called with the share of the work that is done.

    Raises
    ------
    ParameterError
        For a missing limit, a duration or fraction out of range, or a robot that has no joint,
        a base that moves, or tags ``<force>``.
    IdentificationError
        If gravity alone needs more effort than the limits allow, or a joint can hardly move
        within them.

    """
    for name, value, least, most in (('duration', duration, 2.0, _LONGEST_MOTION),
                                     ('fraction', fraction, 0.01, 1.0)):
        if not least <= value <= most:
            raise ParameterError(f'{name} {value:g}: must be between {least:g} and {most:g}')
    model = checked_dynamics(dynamics).model
    if not dynamics.joint_names:
        raise ParameterError(f'robot {model.name!r} has no joint that moves')
    if model.forces:
        raise ParameterError('the URDF has tags <force>, which need efforts that are not '
                             'counted: remove them')
    limits = restrict_limits(model, dynamics, fraction, changes)
    information = Information(dynamics, joint_friction(model, dynamics), limits)
    search = _Search(information, limits, period_of(duration), show)
    starts = search.random()
    reference = starts[0]
    optimised = search.optimised(starts[:_STARTS])
    best = max((optimised, reference), key=search.log_det)
    for joint, room in zip(dynamics.joint_names, np.ptp(search.motion(best)[0], axis=0)):
        if room <= STILL_RANGE:
            raise IdentificationError(
                f'joint {joint!r} moves by {room:.2g} at most within its limits of position, '
                f'velocity, acceleration and jerk, and from {STILL_RANGE:g} rad or m on it can be '
                'identified: a larger --fraction, a longer --duration or other limits '
                '(--limits) are needed')
    one, other = (information.log_det(search.motion(swing)) for swing in (best, reference))
    return Excitation(information, limits, duration, search.period, best * limits.half,
                      (one, other), len(starts), search.complete)


class _Search:
    """Motions are coefficients (f, n) of the functions of time, in units of the half ranges."""

    def __init__(self, information: Information, limits: MotionLimits, period: float,
                 show: Callable[[float], None]) -> None:
        self.period, self.complete = period, True
        self._information, self._limits, self._show = information, limits, show
        self._functions, self._fine = (
            rest_functions(period / count * np.arange(count, dtype=np.float64), period)
            for count in (_COARSE, _FINE))
        self._bounds = limits.derivatives / limits.half
        # factors that leave the constant part of a motion alone
        self._centre: Array = np.eye(2 * HARMONICS - 1)[:, :1]
        self._started = time.monotonic()
        self._last = 0.0   # cost of a motion
        self._steps, self._all = 0, (_STARTS - 1) * _STAGES[0][1] + sum(
            steps for _, steps in _STAGES)

    def motion(self, z: Array) -> Array:
        """Return the motion (3, T, n) of coefficients, at all instants of a period."""
        return self._motion(self._fine, z)

    def log_det(self, z: Array) -> float:
        return self._information.log_det(self._motion(self._functions, z))

    def random(self) -> list[Array]:
        """Return random motions within all limits, the best first."""
        random = np.random.default_rng(_SEED)
        n, starts = len(self._limits.half), list[Array]()
        worst, k = np.zeros(n), np.arange(1.0, HARMONICS)
        for _ in range(3 * RANDOM_MOTIONS):
            z = random.normal(size=(2 * HARMONICS - 1, n))
            z[1:] /= np.concatenate((k, k))[:, None]
            z[0] = 0.0
            z *= random.uniform(0.3, 1.0, n) / self._excess(z)
            q = self._functions[0] @ z
            z[0] = random.uniform(-1.0 - q.min(axis=0), 1.0 - q.max(axis=0))
            kept = self._kept(z)
            if kept is not None:
                starts.append(kept)
            else:
                worst = np.maximum(worst, self._effort_excess(z * self._centre))
            if len(starts) == RANDOM_MOTIONS:
                break
        if not starts:
            number = int(np.argmax(worst))
            name = self._information.joint_names[number]
            if np.isinf(worst[number]):
                raise IdentificationError('the loops close nowhere within the limits of '
                                          'positions: others (--limits) are needed')
            raise IdentificationError(
                f'joint {name!r}: at rest, gravity needs up to {worst[number]:.2g} times the '
                'effort that a motion may use; a larger --fraction or a smaller range of '
                'positions (--limits) is needed')
        motions = [self._motion(self._functions, z) for z in starts]
        self._information.set_scale(np.concatenate(motions, axis=1))
        return sorted(starts, key=self.log_det, reverse=True)

    def optimised(self, starts: Sequence[Array]) -> Array:
        """Return the best motion that L-BFGS finds, within all limits."""
        best = starts[0]
        try:
            candidates = []
            for z in starts:
                candidates.append(best := self._minimised(z, *_STAGES[0]))
            best = min(candidates, key=lambda z: self._cost(z.ravel(), _STAGES[0][0])[0])
            for weight, steps in _STAGES[1:]:
                best = self._minimised(best, weight, steps)
        except _OutOfTimeError as error:
            best, self.complete = error.args[0], False
        kept = self._kept(best)
        return starts[0] if kept is None else kept

    def _minimised(self, z: Array, weight: float, steps: int) -> Array:
        from scipy.optimize import minimize

        def step(now: Array) -> None:
            self._steps += 1
            self._show(min(self._steps / self._all, 1.0))
            if time.monotonic() - self._started > _MOST_SECONDS:
                raise _OutOfTimeError(now.reshape(z.shape).copy())

        result = minimize(self._cost, z.ravel(), args=(weight,), jac=True, method='L-BFGS-B',
                          callback=step, options={'maxiter': steps, 'maxcor': 20})
        return np.asarray(result.x.reshape(z.shape))

    def _cost(self, flat: Array, weight: float) -> tuple[float, Array]:
        """Return -log det with what exceeds limits, and its gradient by the coefficients."""
        z = flat.reshape(2 * HARMONICS - 1, -1)
        try:
            cost, gradient = self._information.slopes(
                self._motion(self._functions, z), _SHARE_OF_LIMITS * self._limits.effort, weight)
        except LoopError:   # a line search goes back half of the way
            return self._last + _NOT_CLOSED, np.zeros(z.size)
        bounds = self._bounds[:, None] * _SHARE_OF_LIMITS
        ratio = self._functions @ z / bounds
        beyond = np.sign(ratio) * np.maximum(np.abs(ratio) - 1.0, 0.0)
        cost += weight * float((beyond**2).sum()) / _COARSE
        slopes = 2.0 * weight / _COARSE * beyond / bounds
        slopes[:3] += gradient * self._limits.half
        by_z = np.einsum('ktf,ktn->fn', self._functions, slopes)
        self._last = cost
        return cost, by_z.ravel()

    def _motion(self, functions: Array, z: Array) -> Array:
        result: Array = functions[:3] @ (z * self._limits.half)
        result[0] += self._limits.middle
        return result

    def _excess(self, z: Array) -> Array:
        """Return the largest share of each joint's limits but that of the effort (n,)."""
        shares = np.abs(self._fine @ z).max(axis=1) / self._bounds
        return np.asarray(np.maximum(shares.max(axis=0), 1e-9))

    def _effort_excess(self, z: Array) -> Array:
        try:
            efforts = self._information.efforts(self.motion(z))
        except LoopError:
            return np.full(len(self._limits.half), np.inf)
        return np.asarray(np.abs(efforts / self._limits.effort).max(axis=0))

    def _kept(self, z: Array) -> Array | None:
        """Return a motion made smaller until it keeps all limits; None if it cannot."""
        z = z / np.maximum(self._excess(z), 1.0)
        if (self._effort_excess(z) <= 1.0).all():
            return z
        if (self._effort_excess(z * self._centre) > 1.0).any():
            return None
        low, high = 0.0, 1.0
        for _ in range(10):
            middle = (low + high) / 2.0
            small = z * np.maximum(self._centre, middle)
            low, high = ((middle, high) if (self._effort_excess(small) <= 1.0).all()
                         else (low, middle))
        return np.asarray(z * np.maximum(self._centre, low))


# ---- The files of an excitation: table, trajectory_msgs/JointTrajectory, picture

ENDINGS = ('.csv', '.yaml', '.png')
_TABLE_RATE, PICTURE_RATE = 100.0, 50.0   # rows of the table and drawn instants in a second
_POINTS = 100   # points of a period: polynomials of degree 5 between them are the motion
_SHORTEST_APPROACH = 2.0
# largest velocity, acceleration and jerk of a polynomial of degree 5 from rest to rest, over those
# of a way of 1 in a time of 1
_QUINTIC = np.array([1.875, 10.0 / np.sqrt(3.0), 60.0])


def instants(duration: float, rate: float) -> Array:
    """Return times from 0 to the duration [s], both included, at about a rate [1/s]."""
    return np.linspace(0.0, duration, round(duration * rate) + 1)


def approach_time(excitation: Excitation) -> float:
    """
    Return how long [s] a robot may need to go to the start, by polynomials of degree 5.

    From the range of the motion it keeps the velocities, accelerations and jerks of the motion;
    from the whole range of the limits, of which that is a fraction, the whole ones.
    """
    start, limits = excitation.motion(np.zeros(1))[0, 0], excitation.limits
    way = limits.half + np.abs(start - limits.middle)
    slowest = ((_QUINTIC[:, None] * way / limits.derivatives[1:]).max(axis=1)
               ** [1.0, 1.0 / 2.0, 1.0 / 3.0])
    return float(np.ceil(max(_SHORTEST_APPROACH, slowest.max())))


def csv_text(excitation: Excitation, joints: Sequence[str]) -> str:
    """Return a table with time, and positions and velocities of all joints."""
    times = instants(excitation.duration, _TABLE_RATE)
    q, qd, _ = excitation.motion(times)
    heads = ['time', *(f'{prefix}_{joint}' for joint in joints for prefix in ('q', 'qd'))]
    columns = np.stack((q, qd), axis=2).reshape(len(times), -1)
    rows = [','.join([f'{time:.6f}', *(f'{value:.9f}' for value in row)])
            for time, row in zip(times, columns)]
    return '\n'.join([','.join(map(csv_cell, heads)), *rows]) + '\n'


def yaml_text(excitation: Excitation, joints: Sequence[str], approach: float,
              head: Sequence[str]) -> str:
    """Return a trajectory_msgs/JointTrajectory, whose first point is the start after a time."""
    times = instants(excitation.duration, _POINTS / excitation.period)
    lines = [*(f'# {printable(line)}' for line in head),
             f'joint_names: {json.dumps(list(joints))}', 'points:']
    for instant, motion in zip(times, excitation.motion(times).transpose(1, 0, 2)):
        seconds, nanoseconds = divmod(round(1e9 * (approach + instant)), 10**9)
        q, qd, qdd = (', '.join(f'{value:.6f}' for value in row) for row in motion)
        lines += [f'- positions: [{q}]', f'  velocities: [{qd}]', f'  accelerations: [{qdd}]',
                  f'  time_from_start: {{sec: {seconds}, nanosec: {nanoseconds}}}']
    return '\n'.join(lines) + '\n'
