"""External efforts from the generalised momentum, the contacts that they show, and a wrench."""

import math
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from urdf2dyn_ros.codegen.functions.observer import CONTACT_THRESHOLDS, OBSERVER_GAIN
from urdf2dyn_ros.errors import ParameterError, StateError
from urdf2dyn_ros.estimation.stream import Output
from urdf2dyn_ros.inverse_dynamics import InverseDynamics, checked_dynamics
from urdf2dyn_ros.robot.multibody import Multibody, make_multibody
from urdf2dyn_ros.robot.parameters import Parameter, check_all, values_below
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.robot.terms import Friction
from urdf2dyn_ros.text import Level, Status, counted, listed, quote

# ---- External efforts from the generalised momentum, without accelerations
#
# d/dt p = tau + tau_ext + beta - load (see `equations.momentum`), where tau are the measured
# efforts. The residual r follows tau_ext as a first-order filter, d/dt r = K (tau_ext - r) (De
# Luca, Mattone 2003; Haddadin, De Luca, Albu-Schaeffer 2017). Over a step dt the mean of tau_ext
# is the change of momentum minus the integral of the known efforts, and the filter's response to a
# constant is exact: r_k = exp(-K dt) r_(k-1) + (1 - exp(-K dt)) mean, at any rate and gain.

STICKING = 5.0   # widths of friction's sign up to which a joint may stick
SETTLING_TIMES = 5.0   # time constants after which a residual that began at zero is within 1 %


class MomentumObserver:
    """
    Estimates external efforts from positions, velocities and measured efforts.

    Efforts change linearly between samples. White noise of the velocities with standard deviation
    s becomes noise of K s times the norm of row i of the mass matrix, that of an effort sqrt(K dt
    / 2) s; errors of the model, such as unmodelled friction or payload, pass unchanged.

    Friction of a joint that may stick, in rest or as it reverses, is anything up to its level:
    the same filter on that level is `undetermined`, which bounds what r has of it.

    Parameters
    ----------
    dynamics : InverseDynamics
        Includes the friction of the joints if the efforts are those of the motors.
    **parameters
        Rows of ``PARAMETERS`` by name.

    Raises
    ------
    ParameterError
        For an unknown parameter, a value that breaks its rule, or a robot whose base moves.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        OBSERVER_GAIN,
        Parameter('max_gap', 0.1, 'Longest step between samples; after a longer one the '
                  'observer is reset.', unit='s', minimum=1e-3, maximum=3600.0),
    )

    def __init__(self, dynamics: InverseDynamics, **parameters: ArrayLike) -> None:
        values = check_all(self.PARAMETERS, parameters)
        n = len(checked_dynamics(dynamics).joint_names)
        self._momentum = dynamics.momentum
        self._has_payload = 'payload' in dynamics.inputs
        sizes = {'external': 6 * len(dynamics.loads.external), 'payload': 10}
        # compiled now rather than at the first sample; raises if the base moves
        self._momentum(*np.zeros((2, n)), *(np.zeros(sizes.get(x, 9)) for x in dynamics.inputs
                                            if x not in ('q', 'qd', 'qdd')))
        self._gain = per_joint('gain', values['gain'], dynamics.joint_names)
        self._max_gap = round(values['max_gap'] * 1e9)
        self._settled_after = (SETTLING_TIMES / self._gain * 1e9).astype(np.int64)
        self._level, self._slow = _sticking(dynamics)
        self._step = 0   # the last one [ns], and 1 - exp(-K dt) for it
        self._gained = np.zeros(n)
        self.reset()

    def reset(self) -> None:
        """Forget every sample: the external efforts begin at zero."""
        n = len(self._gain)
        # stamp, momentum and known efforts of the last sample
        self._last = 0, np.full(n, np.nan), np.full(n, np.nan)
        self._payload: Array = np.empty(0)
        self._sample: tuple[ArrayLike, ...] = ()   # state and known wrenches of the last one
        self._begin = np.zeros(n, dtype=np.int64)
        self._r = np.zeros(n)
        # friction in the last answer, (n,) [N m or N]
        self.undetermined: Array = np.zeros(n)

    @property
    def settling(self) -> NDArray[np.bool_]:
        """External efforts that began less than 5/K ago and may still be too small, (n,)."""
        return self._last[0] - self._begin < self._settled_after

    def update(self, stamp: int, q: Array, qd: Array, effort: Array,
               *load_arguments: ArrayLike) -> Array | None:
        """
        Add one sample, and return the external efforts.

        Parameters
        ----------
        stamp : int
            [ns].
        q, qd, effort : array_like, (n,)
            [rad or m], [rad/s or m/s], measured at this instant [N m or N]; an effort may be NaN.
        *load_arguments : array_like
            Known external wrenches and payload, as for `InverseDynamics`. A payload that changes
            is counted in the momentum of the last sample, too, which so does not jump.

        Returns
        -------
        ndarray, (n,), or None
            External efforts J'F, positive along the axis [N m or N]; NaN where the effort is not
            measured. None at the first sample, after a gap or a step back in time, for the stamp
            of the last sample, or if the state is not finite.

        Raises
        ------
        StateError
            If a shape is not (n,), or the stamp is no whole number.

        """
        q, qd, effort = _sample(stamp, self._gain.shape, q=q, qd=qd, effort=effort)
        try:
            if self._has_payload:
                payload = np.array(load_arguments[-1], dtype=np.float64)
                if len(self._sample) and not np.array_equal(payload, self._payload):
                    before, _, known = self._last
                    p, _, _ = self._momentum(*self._sample, payload)
                    self._last = before, p, known
                self._payload = payload
                self._sample = q.copy(), qd.copy(), *load_arguments[:-1]
            p, beta, load = self._momentum(q, qd, *load_arguments)
        except StateError:
            self.reset()
            return None
        return self._follow(stamp, p, effort + beta - load, self._stuck(qd))

    def run(self, stamps: Sequence[int] | NDArray[np.int64], q: Array, qd: Array, effort: Array,
            *load_arguments: ArrayLike) -> tuple[Array, Array]:
        """
        Add N samples at once: the arguments have a row for each; the payload is constant.

        Returns
        -------
        tuple of two ndarray, (N, n)
            What `update` returns for each sample, NaN for None, and `undetermined` then [N m or
            N].

        Raises
        ------
        StateError
            If a position or velocity is not finite, a shape is not (N, n), or stamps are no whole
            numbers.

        """
        stamps = np.asarray(stamps)
        q, qd, effort = _sample(stamps, (stamps.size, *self._gain.shape), q=q, qd=qd,
                                effort=effort)
        p, beta, load = self._momentum(q, qd, *load_arguments)
        unknown = np.full(len(self._gain), np.nan)
        rows, bounds = [], []
        for row in zip(stamps.tolist(), p, effort + beta - load, self._stuck(qd)):
            external = self._follow(*row)
            rows.append(unknown if external is None else external)
            bounds.append(self.undetermined)
        return np.array(rows).reshape(p.shape), np.array(bounds).reshape(p.shape)

    def _stuck(self, qd: Array) -> Array:
        """Return the level of friction where a joint may stick."""
        return np.where(np.abs(qd) < self._slow, self._level, 0.0)

    def _follow(self, stamp: int, p: Array, known: Array, level: Array) -> Array | None:
        before, p_before, known_before = self._last
        self._last = stamp, p, known
        step = stamp - before
        if not 0 < step <= self._max_gap:
            self._begin[:], self._r, self.undetermined = stamp, np.zeros_like(p), level
            return None
        if step != self._step:
            self._step, self._gained = step, -np.expm1(-self._gain * (step * 1e-9))
        self.undetermined = self.undetermined + self._gained * (level - self.undetermined)
        mean = (p - p_before) / (step * 1e-9) - 0.5 * (known + known_before)
        residual: Array = self._r + self._gained * (mean - self._r)
        self._r = residual
        if math.isfinite(residual.sum()):
            return residual.copy()
        lost = ~np.isfinite(residual)
        self._begin[lost], self._r = stamp, np.where(lost, 0.0, residual)
        return None if lost.all() else np.where(lost, np.nan, residual)


def _sticking(dynamics: InverseDynamics) -> tuple[Array, Array]:
    """Return levels of friction (n,) [N m or N], and velocities up to which joints may stick."""
    level, slow = np.zeros((2, len(dynamics.joint_names)))
    for body in make_multibody(dynamics.model).bodies:
        for term in dynamics.loads.terms.get(body.name, ()):
            if isinstance(term, Friction):
                ratio, j = abs(float(body.multiplier)), body.coordinate
                level[j] += ratio * (float(term.coulomb) + float(term.stribeck))
                slow[j] = max(slow[j], STICKING / (float(term.steepness) * ratio))
    return level, slow


def _sample(stamps: Any, shape: tuple[int, ...], **values: Any) -> list[Array]:
    """Return arrays of a shape; a StateError for others, or for stamps that are not in ns."""
    if type(stamps) is not int and np.asarray(stamps).dtype.kind not in 'iu':
        raise StateError(f'stamp is {stamps!r}: it must be a whole number of nanoseconds; of '
                         'seconds, round(1e9 * time)')
    arrays = []
    for name, value in values.items():
        try:
            arrays.append(np.asarray(value, np.float64))
        except (TypeError, ValueError):
            arrays.append(np.empty(()))
        if arrays[-1].shape != shape:
            raise StateError(f'{name} must be numbers of the shape {shape}, in the order of the '
                             f'joints; it is {value!r}')
    return arrays


def per_joint(name: str, values: Sequence[float], joint_names: Sequence[str]) -> Array:
    """Return a number per joint, (n,), from one for all or one for each; else ParameterError."""
    n = len(joint_names)
    if len(values) not in (1, n):
        count = counted(len(values), 'entry', 'entries')
        raise ParameterError(f'parameter {name} has {count}: it takes one for all joints, or '
                             f'one for each in their order ({counted(n, "joint")}: '
                             f'{listed(joint_names, 100)})')
    return np.array(np.broadcast_to(values, n), dtype=np.float64)


# ---- From external efforts to contacts: thresholds with hysteresis, a least duration, a latch


class Contact(NamedTuple):
    """
    Contact at one joint, from the first to the last stamp [ns].

    The peak is the largest external effort, with its sign [N m or N].
    """

    joint: str
    begin: int
    end: int
    peak: float


class ContactDetector:
    """
    Detects contacts per joint, and remembers the joints until `reset`.

    The parameters are rows of ``PARAMETERS`` by name, checked by `check_all`.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        CONTACT_THRESHOLDS,
        Parameter('release', 0.5, 'Share of its threshold at which a contact ends.',
                  minimum=0.0, maximum=1.0),
        Parameter('min_duration', 0.005, 'Least duration of a contact.', unit='s',
                  minimum=0.0, maximum=10.0),
    )

    def __init__(self, joint_names: Sequence[str], **parameters: ArrayLike) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self._names = tuple(joint_names)
        given = per_joint('thresholds', values['thresholds'], self._names)
        self._thresholds = np.where(given > 0.0, given, np.inf)   # 0: never
        self._releases = values['release'] * self._thresholds
        self._min_duration = round(values['min_duration'] * 1e9)
        self._open: dict[int, Contact] = {}
        self.reset()

    def reset(self) -> None:
        """Forget past contacts; one that lasts is detected again at once."""
        self._touched: dict[str, None] = {}

    @property
    def detects(self) -> bool:
        """Whether there is a threshold."""
        return bool(np.isfinite(self._thresholds).any())

    @property
    def touched(self) -> tuple[str, ...]:
        """Joints with a contact since the last reset, in the order of detection."""
        return tuple(self._touched)

    def update(self, stamp: int, external: Array,
               undetermined: ArrayLike = 0.0) -> list[Contact]:
        """
        Add external efforts (n,) [N m or N] of a stamp [ns]; return the contacts that ended.

        Joints without an effort (NaN) have no contact. What is `undetermined` (n,) of them, as the
        friction of a joint that may stick, counts for none. A StateError for other shapes, or a
        stamp that is no whole number.
        """
        external, = _sample(stamp, self._thresholds.shape, external=external)
        size = np.abs(external) - undetermined
        for joint in np.flatnonzero(size > self._thresholds).tolist():
            self._open.setdefault(joint, Contact(self._names[joint], stamp, stamp, 0.0))
        if not self._open:   # nearly always
            return []
        ended = []
        for joint, contact in list(self._open.items()):
            if size[joint] > self._releases[joint]:
                peak = max(contact.peak, float(external[joint]), key=abs)
                self._open[joint] = contact._replace(end=stamp, peak=peak)
                if stamp - contact.begin >= self._min_duration:
                    self._touched[contact.joint] = None
            else:
                del self._open[joint]
                if self._is_long(contact):
                    ended.append(contact)
        return ended

    def stop(self) -> list[Contact]:
        """End the contacts that last, because there are no more efforts, and return them."""
        lasting, self._open = self._open, {}
        return [contact for contact in lasting.values() if self._is_long(contact)]

    def _is_long(self, contact: Contact) -> bool:
        return bool(contact.end - contact.begin >= self._min_duration)


OBSERVER_PARAMETERS = (
    Parameter('observer.enabled', False, 'Observe contacts: publish external efforts on '
              '~/external_efforts, and on ~/contact whether they have exceeded their thresholds. '
              'Requires measured efforts and a fixed base.'),
    *(row.named(f'observer.{row.name}') for row in MomentumObserver.PARAMETERS),
    *(row.named(f'contact.{row.name}') for row in ContactDetector.PARAMETERS))


# ---- Contacts of one robot, from the outputs of its stream, with a status

# parameters with one value for all joints, or one for each
PER_JOINT = ('observer.gain', 'contact.thresholds')


class ContactWatch:
    """Observes one stream and detects contacts; `touched` earlier are remembered until a reset."""

    def __init__(self, dynamics: InverseDynamics, observer: MomentumObserver,
                 detector: ContactDetector, touched: Sequence[str]) -> None:
        self._names, self._units = dynamics.joint_names, dynamics.effort_units
        self._observer, self._detector = observer, detector
        self._before = tuple(touched)
        self._largest = np.full(len(self._names), np.nan)
        self._not_measured = np.full(len(self._names), False)
        self._outputs = self._observed = 0   # since the last report

    @property
    def touched(self) -> tuple[str, ...]:
        """Joints with a contact since the last reset, in the order of detection."""
        return tuple(dict.fromkeys((*self._before, *self._detector.touched)))

    def reset(self) -> None:
        """Forget past contacts; one that lasts is detected again at once."""
        self._before = ()
        self._detector.reset()
        self._largest.fill(np.nan)

    def update(self, output: Output) -> Array | None:
        """Return the external efforts (n,) of an output [N m or N], NaN where not measured."""
        self._outputs += 1
        self._not_measured = np.isnan(output.measured)
        with np.errstate(all='ignore'):   # the results are checked
            external = self._observer.update(output.stamp, output.q, output.observed_qd,
                                             output.measured, *output.load_arguments)
            if external is None:
                self._detector.stop()
            else:
                self._observed += 1
                undetermined = self._observer.undetermined
                self._detector.update(output.stamp, external, undetermined)
                self._largest = np.fmax(self._largest, np.abs(external) - undetermined)
        return external

    def description(self, joints: Sequence[str], external: Array) -> str:
        """Return a sentence about a contact at joints, with their external efforts of (n,)."""
        return _contact([f'{self._names[k]} ({external[k]:.4g} {self._units[k]})'
                         for k in map(self._names.index, joints)])

    def take_report(self) -> Status:
        """Return the status of the outputs since the report before."""
        settling = self._observer.settling if self._observed else np.full(len(self._names), False)
        values = {
            'joints with a contact': ', '.join(self.touched), 'settling': self._named(settling),
            'not measured': self._named(self._not_measured),
            **{f'{name}: largest external effort [{unit}]': (
                'unknown' if np.isnan(largest) else f'{largest:.6g}')
               for name, unit, largest in zip(self._names, self._units, self._largest.tolist())}}
        outputs, observed = self._outputs, self._observed
        self._outputs = self._observed = 0
        if self.touched:
            return Status('contact', Level.WARN, _contact(self.touched), values)
        if not outputs:
            return Status('contact', Level.STALE, 'no external efforts: no efforts are computed',
                          values)
        if not observed:
            return Status('contact', Level.WARN, 'no external efforts: ' + (
                'no effort is measured' if self._not_measured.all() else
                'efforts come for the first time, or less often than observer.max_gap'), values)
        if not self._detector.detects:
            return Status('contact', Level.WARN, 'contacts are not reported: contact.thresholds '
                          'are not known; evaluate --observer writes them for a recording without '
                          'contact', values)
        return Status('contact', Level.OK, 'no contact', values)

    def _named(self, flags: NDArray[np.bool_]) -> str:
        return ', '.join(compress(self._names, flags))


def contact_watch(values: Mapping[str, Any], dynamics: InverseDynamics,
                  touched: Sequence[str]) -> ContactWatch:
    """Return the watch of the parameters, or raise a ParameterError."""
    for name in PER_JOINT:
        per_joint(name, values[name], dynamics.joint_names)
    chosen = values_below(values, 'observer')
    del chosen['enabled']
    return ContactWatch(dynamics, MomentumObserver(dynamics, **chosen),
                        ContactDetector(dynamics.joint_names, **values_below(values, 'contact')),
                        touched)


def not_observed(reason: str, touched: Sequence[str]) -> Status:
    """Return the status of a robot whose contacts cannot be detected."""
    return Status('contact', Level.WARN, f'what touches the robot is not observed: {reason}',
                  {'joints with a contact': ', '.join(touched)})


def _contact(joints: Sequence[str]) -> str:
    return f'contact at joint{"s" * (len(joints) > 1)} ' + ', '.join(joints)


# ---- The wrench on one link that explains the external efforts
#
# tau_ext = J' F for a contact at that link alone, so that F minimises |J' F - tau_ext|^2 +
# damping^2 |F|^2. With J = U S V' that is F = U diag(s / (s^2 + damping^2)) V' tau_ext: damping
# removes damping^2 / (s^2 + damping^2) of the component of each singular value s, and noise of the
# efforts is amplified by 1 / s. Force and moment are weighted with a length of 1 m.

COMPONENTS = 6   # of a wrench: as many joints must move the link
LEAST_SINGULAR_VALUE = 3.0   # over the damping: of a smaller one, more than a tenth is removed


class WrenchEstimate:
    """The wrench on a link; ParameterError if `moving_joints` refuses it, or the base moves."""

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('link', '', 'Link on which ~/wrench (geometry_msgs/WrenchStamped) is the wrench '
                  'by the environment, about the origin of the link and in its axes: frame_id is '
                  'the link, as of a force-torque sensor. Estimated from ~/external_efforts, for '
                  'contacts at this link alone; at least 6 joints must move it. Empty for none; '
                  'requires observer.enabled.'),
        Parameter('damping', 0.01, 'Damping of the least squares. The wrench is NaN where the '
                  'smallest singular value of the Jacobian of the link (rows in m and 1) is below '
                  '3 times this: there damping would remove a tenth or more of a component. Noise '
                  'of the efforts is amplified by up to 1 over that value.', unit='m or 1',
                  minimum=1e-6, maximum=10.0),
    )

    def __init__(self, dynamics: InverseDynamics, **parameters: ArrayLike) -> None:
        values = check_all(self.PARAMETERS, parameters)
        self.link, self._damping = values['link'], values['damping']
        if 'base_motion' in dynamics.inputs:
            raise ParameterError('parameter wrench_estimate.link: a wrench is estimated '
                                 'only where the base is fixed')
        self._columns = list(moving_joints(make_multibody(dynamics.model), self.link))
        self._names, self._jacobian = dynamics.joint_names, dynamics.jacobian
        # compiled now rather than at the first sample
        self._jacobian(np.zeros(len(self._names)), link=self.link, axes='link')
        self._newest = np.full(COMPONENTS, np.nan)
        self._updates = self._missing = 0   # since the last report
        self._reason = ''

    def update(self, q: Array, external: Array) -> Array:
        """
        Return force [N] and moment [N m] (6,) by the environment, about the link's origin.

        They are NaN near singular postures, and without an external effort of its joints.
        """
        wrench, reason = self._estimate(q, external[self._columns])
        self._newest = wrench
        self._updates += 1
        if reason:
            self._missing, self._reason = self._missing + 1, reason
        return wrench

    def _estimate(self, q: Array, external: Array) -> tuple[Array, str]:
        nothing = np.full(COMPONENTS, np.nan)
        unknown = np.flatnonzero(~np.isfinite(external)).tolist()
        if unknown:
            names = listed(self._names[self._columns[k]] for k in unknown)
            return nothing, f'the external effort is not known at {names}'
        try:
            J = self._jacobian(q, link=self.link, axes='link')[:, self._columns]
            U, s, V = np.linalg.svd(J, full_matrices=False)
        except (StateError, np.linalg.LinAlgError):
            return nothing, 'the positions are too large'
        least = LEAST_SINGULAR_VALUE * self._damping
        if s[-1] < least:
            return nothing, ('the posture is near a singular one: the smallest singular value of '
                             f'the Jacobian is {s[-1]:.3g}, less than {least:.3g}, 3 times '
                             'wrench_estimate.damping')
        wrench: Array = U @ (s / (s * s + self._damping**2) * (V @ external))
        return wrench, ''

    def take_report(self) -> Status:
        """Return the status of the wrenches since the report before."""
        force, moment = np.linalg.norm(self._newest[:3]), np.linalg.norm(self._newest[3:])
        values = {'link': self.link, 'number of wrenches': str(self._updates),
                  'number of wrenches that are NaN': str(self._missing), 'reason': self._reason,
                  'force [N]': f'{force:.6g}', 'moment [N m]': f'{moment:.6g}'}
        updates, missing, reason = self._updates, self._missing, self._reason
        self._updates, self._missing, self._reason = 0, 0, ''
        if not updates:
            return Status('wrench', Level.STALE, 'no wrench: there are no external efforts',
                          values)
        if missing:
            return Status('wrench', Level.WARN, f'{missing} of {updates} wrenches on link '
                          f'{self.link} are NaN: {reason}', values)
        return Status('wrench', Level.OK, f'on link {self.link}', values)


def not_estimated(reason: str) -> Status:
    """Return the status where no wrench can be estimated."""
    return Status('wrench', Level.WARN, f'no wrench: {reason}', {})


def moving_joints(system: Multibody, link: str) -> tuple[int, ...]:
    """Return the independent joints that move a link; ParameterError if they are fewer than 6."""
    coordinates = {name: {system.bodies[i].coordinate for i in system.chain(number)}
                   for name, (number, _) in system.links.items()}
    able = [name for name, moving in coordinates.items() if len(moving) >= COMPONENTS]
    choices = (f'the links that at least {COMPONENTS} joints move are: {listed(able, 100)}'
               if able else f'this robot has no link that at least {COMPONENTS} joints move')
    if link not in coordinates:
        raise ParameterError(f'parameter wrench_estimate.link: there is no link {quote(link)}; '
                             + choices)
    moving = sorted(coordinates[link])
    if len(moving) < COMPONENTS:
        raise ParameterError(f'parameter wrench_estimate.link: '
                             f'{counted(len(moving), "joint moves", "joints move")} link '
                             f'{quote(link)}, and a wrench has {COMPONENTS} components; '
                             + choices)
    return tuple(moving)
