"""
How the loops of a robot are solved: actuated and passive joints, rows, linear relations, a start.

`closed` completes a model that has loops, once, when it is read. It assembles the robot by
Levenberg-Marquardt, compares its mobility with the actuated joints, holds rods that spin about
themselves, makes linear relations of passive joints mimics (a parallelogram, a belt), and chooses
as many rows for the others as there are.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loops import LoopState, rows_of
from urdf2dyn_ros.robot.model import ClosureRow, Closures, Coupling, Mimic, RobotModel
from urdf2dyn_ros.robot.multibody import ROOT, multibody
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import listed, quote

SINGULAR = 1e-3   # least sine between the columns of the unknown joints; below, no efforts
Mask = NDArray[np.bool_]

OPEN = 1e-6   # [m] that a loop may be open before a step of Newton's method, which closes it
_CLOSED_AT_ZERO = 1e-3, 1e-2   # [m, and m for a turn of 1 m]; least margin: a pose to start from
_ASSEMBLED = 1e-4   # [m] that a pose may be open: of rounded files all rows never close
_IDLE = 1e-2   # share of the size that a rod moves whose joints are not exactly on its axis
_LINEAR = 1e-9   # that a row of G may change between poses
_SEEDS = 48   # poses from which the robot is assembled
_POSES = 8   # in which G and rows are compared


def closed(model: RobotModel, start: Mapping[str, float] | None = None) -> RobotModel:
    """
    Return a model with what its loops are solved by; the same, if it has none.

    Parameters
    ----------
    start : mapping, optional
        Positions [rad or m] of any joints near a closed pose.

    Raises
    ------
    UrdfError
        If no pose closes, the actuated joints are too few or too many, or the start is singular.

    """
    model = unsolved(model)
    if not (model.loops or model.couplings):
        if start:
            raise _problem('loop-open', 'start', 'it is a pose of a robot with closed loops, and '
                           'this one has none: leave it out')
        return model
    solved, held, notes = replace(model, warnings=()), {}, []
    while True:
        tree = _Tree(solved)
        poses = tree.assembled(start or {})
        passive = tree.passive(poses)
        if idle := tree.idle(passive, poses):
            held.update(idle)
            solved = _with_mimics(solved, {name: ({tree.names[next(
                k for k in range(tree.n) if k not in passive)]: 0.0}, position)
                for name, position in idle.items()})
            continue
        rows = picked(tree.evaluate(poses)[1][:, :, passive])
        pose, margin, other = tree.start(poses, rows, passive, bool(start))
        for _ in range(4 * (tree.open(pose) > 1e-9)):   # rows that are dropped may stay open
            phi, J = tree.evaluate(pose[None])
            pose[passive] -= np.linalg.solve(J[0, rows][:, passive], phi[0, rows])
        relations = tree.linear(pose, rows, passive)
        if not relations:
            break
        solved = _with_mimics(solved, relations)
    names = [tree.names[k] for k in passive]
    actuated = tuple(name for name in tree.names if name not in names)
    every = _Tree(replace(model, warnings=())).names
    used = sorted({tree.rows[r].loop for r in rows if r < len(tree.rows)})
    number = {loop: k for k, loop in enumerate(used)}
    for name, position in held.items():
        notes.append(Problem(
            'idle-joint', 'it moves nothing but a rod about itself, and no actuated joint: it is '
            f'held at {position:.6g}', f'joint {quote(name)}', refused=False,
            effect='those of the actuated joints lack what spins the rod'))
    return replace(
        solved, warnings=(*model.warnings, *notes), closures=Closures(
            tuple(model.loops[k] for k in used), actuated, tuple(names),
            tuple(name for name in every if name not in actuated),
            tuple(replace(tree.rows[r], loop=number[tree.rows[r].loop]) for r in sorted(rows)),
            tree.positions(pose, every), margin,
            tree.positions(other, every) if other is not None else ()))


def moved(model: RobotModel, positions: Mapping[str, float]) -> dict[str, float]:
    """Return the start pose with some joints elsewhere, on the same branch: in small steps."""
    assert model.closures is not None
    tree, start = _Tree(replace(unsolved(model), warnings=())), dict(model.closures.start)
    q = np.array([[start[name] for name in tree.names]])
    free = [k for k, name in enumerate(tree.names)
            if name in model.closures.passive and name not in positions]
    goal = np.array([[positions.get(name, start[name]) for name in tree.names]])
    steps = max(1, math.ceil(float(np.abs(goal - q).max()) / 0.02))
    for left in range(steps, 0, -1):
        q = q + (goal - q) / left * np.isin(tree.names, list(positions))
        q, error = tree.close(q, free, 20)
        if error[0] > _ASSEMBLED:
            raise _problem('loop-open', 'lock', 'the loops do not close, or come to a singular '
                           f'pose, on the way to {listed(positions)} where they are locked')
    return dict(zip(tree.names, q[0].tolist()))


def unsolved(model: RobotModel) -> RobotModel:
    """Return a model without what an earlier solution of its loops added."""
    if model.closures is None:
        return model
    before = model.closures.passive
    return replace(
        model, closures=None,
        warnings=tuple(each for each in model.warnings if each.code != 'idle-joint'),
        joints=tuple(replace(joint, mimic=None, also=()) if joint.name in before else joint
                     for joint in model.joints))


class Gaps:
    """How far open each loop and each gear of a robot is in poses of all its joints."""

    def __init__(self, model: RobotModel) -> None:
        self._tree = _Tree(replace(unsolved(model), warnings=()))

    def __call__(self, poses: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
        """Return distance [m] and angle [rad] of each, by its name: the least of all poses."""
        tree = self._tree
        phi, _ = tree.evaluate(np.array([[pose[name] for name in tree.names] for pose in poses]))
        found = {}
        for k, loop in enumerate(tree.model.loops):
            of = [r for r, row in enumerate(tree.rows) if row.loop == k]
            turn = [r for r in of if tree.rows[r].kind == 'turn']
            sine = np.linalg.norm(phi[:, turn], axis=1).min() / tree.size
            found[loop.name] = (float(np.linalg.norm(phi[:, [*{*of} - {*turn}]], axis=1).min()),
                                math.asin(min(sine, 1.0)))
        for r, coupling in enumerate(tree.model.couplings, len(tree.rows)):
            gap = np.abs(phi[:, r])
            turns = tree.turning[tree.gears[r - len(tree.rows)][0] != 0.0].all()
            gap = np.abs(np.remainder(gap + math.pi, 2.0 * math.pi) - math.pi) if turns else gap
            found[coupling.name] = ((0.0, float(gap.min())) if turns else (float(gap.min()), 0.0))
        return found


def about_loops(model: RobotModel) -> Iterator[str]:
    """Yield how the loops of a robot are solved, in words."""
    closures = model.closures
    if closures is None:
        return
    linear = [name for name in closures.passive if name not in closures.unknown]
    yield (f'closed loops: actuated {listed(closures.actuated)}; passive '
           f'{listed(closures.passive)}' + f', least sine {closures.margin:.3g} at the start'
           * bool(closures.unknown))
    for k, loop in enumerate(closures.loops):
        needed = sum(row.loop == k for row in closures.rows)
        if needed < (every := len(rows_of(k, loop, 1.0))):
            yield (f'loop {quote(loop.name)}: {every - needed} of its {every} equations follow '
                   'from the others, so what it transmits there is undetermined '
                   '[redundant-closure]')
    for joint in model.joints:
        if joint.name in linear and joint.mimic is not None:
            sum_ = ' '.join(f'{mimic.multiplier:+.6g} {mimic.joint}'
                            for mimic in (joint.mimic, *joint.also) if mimic.multiplier)
            offset = f' {joint.mimic.offset:+.6g}' if joint.mimic.offset or not sum_ else ''
            yield f'joint {quote(joint.name)} = {sum_}{offset}'


def ambiguous(closures: Closures) -> UrdfError:
    """Return an error that says that two poses close the loops, and how to choose one."""
    poses = [', '.join(f'{name!r}: {position:.5g}' for name, position in pose)
             for pose in (closures.start, closures.other)]
    return _problem('ambiguous-assembly', 'loops', 'the robot can be assembled in several ways, '
                    f'as {{{poses[0]}}} or {{{poses[1]}}}: say which, start={{...}} with one of '
                    'these, or give joints limits that leave one')


def _problem(code: str, element: str, message: str) -> UrdfError:
    return UrdfError([Problem(code, message, element)])


def _with_mimics(model: RobotModel,
                 relations: Mapping[str, tuple[Mapping[str, float], float]]) -> RobotModel:
    """Return a model in which joints follow others: q = sum of multiplier * position + offset."""

    def resolved(name: str) -> tuple[dict[str, float], float]:
        if name in relations:
            factors, offset = relations[name]
            return dict(factors), offset
        if name not in model.mimics:
            return {name: 1.0}, 0.0
        joint = next(each for each in model.joints if each.name == name)
        total: dict[str, float] = {}
        offset = 0.0
        for mimic in (joint.mimic, *joint.also):
            assert mimic is not None
            of, constant = resolved(mimic.joint)
            offset += mimic.multiplier * constant + mimic.offset
            for driver, k in of.items():
                total[driver] = total.get(driver, 0.0) + mimic.multiplier * k
        return total, offset

    joints = []
    for joint in model.joints:
        if joint.name in relations or joint.mimic is not None:
            factors, offset = resolved(joint.name)
            some = {name: k for name, k in factors.items() if k} or dict([*factors.items()][:1])
            mimics = [Mimic(name, k, 0.0) for name, k in some.items()]
            joint = replace(joint, mimic=replace(mimics[0], offset=offset), also=(*mimics[1:],))
        joints.append(joint)
    return replace(model, joints=tuple(joints))


class _Tree:
    """The tree of a robot, cut open at its loops, in many poses (N, n) at once."""

    def __init__(self, model: RobotModel) -> None:
        self.model = model
        self.system = multibody(replace(model, loops=(), couplings=(), closures=None))
        self.names, self.n = self.system.joint_names, len(self.system.joint_names)
        self.bodies = [self.system.bodies[i] for i in self.system.drivers]
        self.turning = np.array([bool(JOINTS[body.type].turns) for body in self.bodies], bool)
        limits = np.array([(body.limits.lower, body.limits.upper) for body in self.bodies],
                          np.float64).reshape(-1, 2)
        free = np.where(self.turning, math.pi, self.size)
        self.lower = np.where(np.isnan(limits[:, 0]), -np.inf, limits[:, 0])
        self.upper = np.where(np.isnan(limits[:, 1]), np.inf, limits[:, 1])
        self.range = (np.where(np.isfinite(self.lower), self.lower, -free),
                      np.where(np.isfinite(self.upper), self.upper, free))
        self.rows = [row for k, loop in enumerate(model.loops)
                     for row in rows_of(k, loop, self.size)]
        self.gears = [self._gear(coupling) for coupling in model.couplings]

    @cached_property
    def size(self) -> float:
        """The largest distance [m] from joint to joint and to where loops are closed."""
        lengths = [math.hypot(*body.parent_p_joint) for body in self.system.bodies]
        lengths += [math.hypot(*end.xyz) for loop in self.model.loops
                    for end in (loop.first, loop.second)]
        return max(lengths, default=0.0) or 1.0

    def _gear(self, coupling: Coupling) -> tuple[Array, float]:
        """Return multipliers of the independent joints, and the offset."""
        row, offset = np.zeros(self.n), coupling.offset
        names = {name for name, _ in coupling.terms}
        for body in self.system.bodies:   # of a joint in series, every part
            name = body.name if body.name in names else body.name.partition('/')[0]
            for joint, k in coupling.terms:
                if joint == name:
                    row[body.coordinate] += k * float(body.multiplier)
                    offset -= k * float(body.offset)
        return row, offset

    def evaluate(self, q: Array) -> tuple[Array, Array]:
        """Return phi (N, m) and J (N, m, n) of all rows, then of all couplings."""
        state = [*q.T], [0.0] * self.n, [0.0] * self.n
        loops = [LoopState(self.system, loop, state) for loop in self.model.loops]
        m = len(self.rows)
        phi = np.zeros((len(q), m + len(self.gears)))
        J = np.zeros((len(q), m + len(self.gears), self.n))
        for r, row in enumerate(self.rows):
            phi[:, r] = loops[row.loop].value(row)
            for k, entry in loops[row.loop].column(row).items():
                J[:, r, k] = entry
        for r, (factors, offset) in enumerate(self.gears, m):
            phi[:, r] = q @ factors - offset
            J[:, r] = factors
        return phi, J

    def _sided(self, q: Array) -> tuple[Array, Array]:
        """Return phi and J with rows that are zero only where frames are not half a turn off."""
        phi, J = self.evaluate(q)
        for k, loop in enumerate(self.model.loops):
            if loop.type in ('fixed', 'prismatic'):
                at = LoopState(self.system, loop, ([*q.T], [0.0] * self.n, [0.0] * self.n))
                for i in (0, 2):   # x with x, z with z
                    row = ClosureRow(k, 'turn', i, i, scale=0.5 * self.size)
                    value = np.broadcast_to(at.value(row), len(q)) - row.scale
                    slope = np.zeros((len(q), self.n))
                    for joint, entry in at.column(row).items():
                        slope[:, joint] = entry
                    phi = np.column_stack([phi, value])
                    J = np.concatenate([J, slope[:, None]], axis=1)
        return phi, J

    def close(self, q: Array, free: Sequence[int], steps: int = 80, sided: bool = False,
              ) -> tuple[Array, Array]:
        """Return poses, closed by moving some joints if they can be, and how far they are open."""
        q = q.copy()
        damping = np.full(len(q), 1e-3)
        rows = self._sided if sided else self.evaluate
        phi, J = rows(q)
        error = np.linalg.norm(phi, axis=1)
        unit = np.eye(phi.shape[1])
        for _ in range(steps):
            if not ((error > 1e-14) & (damping < 1e3)).any():
                break
            A = J[:, :, free]
            push = np.linalg.solve(A @ A.transpose(0, 2, 1) + (damping**2)[:, None, None] * unit,
                                   phi[..., None])
            step = (A.transpose(0, 2, 1) @ push)[..., 0]
            longest = np.abs(step).max(axis=1, initial=1e-300, keepdims=True)
            trial = q.copy()
            trial[:, free] -= step * np.minimum(1.0, 0.5 / longest)
            new_phi, new_J = rows(trial)
            new = np.linalg.norm(new_phi, axis=1)
            better = new < error
            damping = np.where(better, np.maximum(0.1 * damping, 1e-6), 10.0 * damping)
            damping = np.where(~better & (error < 1e-12), 1e3, damping)   # nothing is left to gain
            q[better], phi[better], J[better] = trial[better], new_phi[better], new_J[better]
            error = np.where(better, new, error)
        return q, error

    def open(self, q: Array) -> float:
        return float(np.abs(self.evaluate(q[None])[0]).max(initial=0.0))

    def within(self, q: Array) -> Mask:
        return np.asarray(((q > self.lower - 1e-6) & (q < self.upper + 1e-6)).all(axis=1))

    def _half_turned(self, q: Array) -> Mask:
        """Return whether frames that coincide but for half a turn are in poses."""
        m = len(self.rows) + len(self.gears)
        return np.asarray((self._sided(q)[0][:, m:] < -0.5 * self.size).any(axis=1))

    def _wrapped(self, q: Array) -> Array:
        """Return poses with the angles of joints without limits within half a turn."""
        free = self.turning & np.isinf(self.lower) & np.isinf(self.upper)
        turn = 2.0 * math.pi
        return np.where(free & (np.abs(q) > math.pi), q - turn * np.round(q / turn), q)

    def positions(self, pose: Array, names: Sequence[str]) -> tuple[tuple[str, float], ...]:
        """Return the positions of joints of the tree, also of those that follow others now."""
        found = dict.fromkeys(names, 0.0)
        for body in self.system.bodies:
            name = body.name if body.name in found else body.name.partition('/')[0]
            if name in found:
                found[name] += float(body.multiplier * pose[body.coordinate] + body.offset)
        return tuple(found.items())

    # ---- Poses that close, and which joints are passive

    def assembled(self, start: Mapping[str, float]) -> Array:
        """Return closed poses, that nearest to the start or to zero first."""
        if unknown := [name for name in start if name not in (body.name for body in
                                                              self.system.bodies)]:
            raise _problem('loop-open', 'start', f'there are no joints {listed(unknown)}; the '
                           f'joints are {listed(self.names)}')
        first = np.array([start.get(name, 0.0) for name in self.names])
        rng = np.random.default_rng(1)
        seeds = np.clip(first + rng.normal(0.0, 0.3, (_POSES, self.n)), *self.range)
        seeds[0] = np.clip(first, self.lower, self.upper)
        if not start and self.open(first) > _CLOSED_AT_ZERO[0]:   # it may be anywhere
            seeds = np.vstack([seeds, rng.uniform(*self.range, (_SEEDS, self.n))])
        apart = np.abs(self.evaluate(seeds)[1]).max(axis=(0, 1), initial=0.0) < 1e-9
        seeds[:, apart] = seeds[0, apart]   # joints in no loop
        poses, error = self.close(seeds, range(self.n))
        good = (error < _ASSEMBLED) & ~self._half_turned(poses)
        if not good.any():
            poses, error = self.close(seeds, range(self.n), sided=True)
            good = error < _ASSEMBLED
        poses = self._wrapped(poses)
        if not good.any() or (start and not good[0]):
            k = 0 if start else int(error.argmin())
            phi = np.abs(self.evaluate(poses[[k]])[0][0])
            r = int(phi.argmax())
            name = (self.model.loops[self.rows[r].loop].name if r < len(self.rows) else
                    self.model.couplings[r - len(self.rows)].name)
            raise _problem('loop-open', f'loop {quote(name)}', f'no pose closes it: {phi[r]:.3g} '
                           'm are left ' + ('from start; give positions nearer to a closed pose'
                                            if start else 'at best; correct its frames, or give '
                                            'start, positions of joints near a closed pose'))
        good[1:] &= self.within(poses)[1:] if (good & self.within(poses)).any() else True
        return poses[good]

    def passive(self, poses: Array) -> list[int]:
        """Return the numbers of the passive joints, or raise for a wrong number of motors."""
        J = self.evaluate(poses)[1]
        in_loops = np.abs(J).max(axis=(0, 1)) > 1e-9
        passive = [k for k in range(self.n) if in_loops[k]
                   and self.names[k] not in self.model.driven]
        driven = [self.names[k] for k in range(self.n) if in_loops[k] and k not in passive]
        rank, rank_p = len(picked(J)), len(picked(J[:, :, passive]))
        joints = [self.names[k] for k in range(self.n) if in_loops[k]]
        name = listed([loop.name for loop in self.model.loops]
                      + [each.name for each in self.model.couplings])
        what = f'mobility {len(joints) - rank} of the joints {listed(joints, 30)}; '
        if rank > rank_p:
            spare = [self.names[k] for k in range(self.n) if self.names[k] in driven
                     and len(picked(J[:, :, [*passive, k]])) > rank_p]
            raise _problem('too-many-actuators', f'loop {name}', f'{what}{len(driven)} of them '
                           f'are actuated, {listed(driven)}: leave out {rank - rank_p} of '
                           f'{listed(spare)}, or correct axes that ought to be parallel')
        if len(passive) > rank_p and (not driven or not self.idle(passive, poses)):
            raise _problem('too-few-actuators', f'loop {name}', what + (
                f'actuated are {listed(driven)} alone' if driven else 'none of them is actuated')
                + '; name the driven joints: actuated=[...], --actuated NAME, a command_interface '
                'in <ros2_control>, or independent="true"')
        return passive

    def idle(self, passive: Sequence[int], poses: Array) -> dict[str, float]:
        """
        Return joints to be held: each spins a rod about itself, and moves no joint's place.

        Empty if nothing is free to move, or if it is more than that.
        """
        J = self.evaluate(poses)[1][:, :, passive]
        count = len(passive) - len(picked(J))
        if not count:
            return {}
        sizes = np.linalg.svd(J, compute_uv=False)
        k = int(sizes[:, len(passive) - count - 1].argmax())
        null = np.linalg.svd(J[k])[2][-count:]
        for v in null:
            speed = np.zeros(self.n)
            speed[passive] = v
            if self._travel(poses[k], speed) > _IDLE * self.size:
                return {}
        held = {}
        for _ in range(count):
            j = int(np.linalg.norm(null, axis=0).argmax())
            held[self.names[passive[j]]] = float(poses[0][passive[j]])
            pivot = int(np.abs(null[:, j]).argmax())
            null = null - np.outer(null[:, j] / null[pivot, j], null[pivot])
        return held

    def _travel(self, q: Array, speed: Array) -> float:
        """Return how fast [m] joints and points of loops move for a speed of the joints."""
        def points(q: Array) -> Array:
            frames: dict[int, tuple[Array, Array]] = {ROOT: (np.eye(3), np.zeros(3))}
            found = []
            for i, body in enumerate(self.system.bodies):
                R, p = frames[body.parent]
                at, joint = body.at(q.tolist()), JOINTS[body.type]
                p = p + R @ np.array(body.parent_p_joint)
                R = R @ np.array(body.parent_R_joint)
                found.append(p)
                frames[i] = R @ np.array(joint.rotation(at)), p + R @ np.array(
                    joint.displacement(at.q))
            for loop in self.model.loops:
                for end in (loop.first, loop.second):
                    i, link = self.system.links[end.link]
                    R, p = frames[i]
                    found.append(p + R @ (np.array(link.body_p_link)
                                          + np.array(link.body_R_link) @ np.array(end.xyz)))
            return np.array(found)

        step = 1e-5
        moved = points(q + step * speed) - points(q - step * speed)
        return float(np.abs(moved).max() / (2.0 * step))

    # ---- The start pose, and linear relations

    def margins(self, poses: Array, rows: Sequence[int], passive: Sequence[int]) -> Array:
        """Return the least sine between the columns of the passive joints in each pose."""
        J = self.evaluate(poses)[1][:, rows][:, :, passive]
        return np.array([least_sine(each) for each in J])

    def start(self, poses: Array, rows: Sequence[int], passive: Sequence[int], given: bool,
              ) -> tuple[Array, float, Array | None]:
        """Return the pose to start from, its margin, and another that is as good, if any."""
        margins = self.margins(poses, rows, passive)
        best = int(margins.argmax())
        if margins[0 if given else best] < SINGULAR:
            better = '' if margins[best] < SINGULAR else '; a better one is ' + ', '.join(
                f'{name}: {position:.4g}' for name, position in zip(self.names, poses[best]))
            raise _problem('singular-start', 'start', 'the loops are singular there, with a '
                           f'least sine of {margins[0 if given else best]:.2g}{better}')
        if given or (self.open(np.zeros(self.n)) < _CLOSED_AT_ZERO[0]
                     and margins[0] > _CLOSED_AT_ZERO[1] and np.abs(poses[0]).max() < 0.1):
            pose = np.where(np.abs(poses[0]) < 1e-12, 0.0, poses[0])
            return pose, float(margins[0]), None
        pose = poses[best]
        seeds = np.tile(pose, (_SEEDS, 1))
        seeds[:, passive] = np.random.default_rng(2).uniform(
            *self.range, seeds.shape)[:, passive]
        others, error = self.close(seeds, passive)
        others = self._wrapped(others)
        turn = np.where(self.turning, 2.0 * math.pi, 1e9)
        away = np.abs(others - pose)
        away = np.minimum(away, np.abs(away - turn * np.round(away / turn))).max(axis=1)
        good = ((error < _ASSEMBLED) & (away > 1e-3) & self.within(others)
                & ~self._half_turned(others))
        others = others[good]
        if len(others):
            others = others[self.margins(others, rows, passive) > SINGULAR]
        return pose, float(margins[best]), others[0] if len(others) else None

    def linear(self, pose: Array, rows: Sequence[int], passive: Sequence[int],
               ) -> dict[str, tuple[dict[str, float], float]]:
        """Return the passive joints that depend linearly on the others, in all poses."""
        driven = [k for k in range(self.n) if k not in passive]
        single = {joint.name for joint in self.model.joints}
        q = np.tile(pose, (3 * _POSES, 1))
        moves = np.random.default_rng(3).uniform(-0.4, 0.4, (len(q), len(driven)))
        for _ in range(4):
            q[:, driven] += 0.25 * moves * np.where(self.turning, 1.0, 0.3 * self.size)[driven]
            q, error = self.close(q, passive, 20)
        J = self.evaluate(q)[1][:, rows]
        good = (error < 1e-12) & (np.array([least_sine(each[:, passive]) for each in J]) > 1e-2)
        if good.sum() < _POSES:
            return {}
        q, J = q[good], J[good]
        G = -np.linalg.solve(J[:, :, passive], J[:, :, driven])
        found = {}
        for j, k in enumerate(passive):
            row = G[0, j]
            offsets = q[:, k] - q[:, driven] @ row
            if (self.names[k] in single and np.abs(G[:, j] - row).max(initial=0.0) < _LINEAR
                    and np.ptp(offsets) < _LINEAR):
                factors = np.where(np.abs(row - row.round(6)) < _LINEAR, row.round(6), row)
                offset = float(np.median(q[:, k] - q[:, driven] @ factors))
                offset = 0.0 if abs(offset) < _LINEAR else offset
                found[self.names[k]] = (
                    {self.names[d]: float(x) for d, x in zip(driven, factors)}, offset)
        return found


def picked(J: Array) -> list[int]:
    """
    Return as many independent rows of matrices (N, m, k) as there are, the best ones first.

    A row is the next one if it has, in all but the worst quarter of the matrices, the largest sine
    to those before (Gram-Schmidt); rows with less than `SINGULAR` follow from others.
    """
    sizes = np.linalg.norm(J, axis=2, keepdims=True)
    left = np.where(sizes > 1e-9, J / np.maximum(sizes, 1e-300), 0.0)   # [m]: else none at all
    rows: list[int] = []
    while len(rows) < min(J.shape[1:]):
        for share in (0.25, 0.75):   # else some of the poses are nearly singular
            sines = np.quantile(np.linalg.norm(left, axis=2), share, axis=0)
            sines[rows] = 0.0
            r = int(sines.argmax())
            if sines[r] > SINGULAR:
                break
        else:
            break
        rows.append(r)
        unit = left[:, r] / np.maximum(np.linalg.norm(left[:, r], axis=1), 1e-300)[:, None]
        left = left - np.einsum('pmk,pk->pm', left, unit)[..., None] * unit[:, None]
    return rows


def least_sine(J: Array) -> float:
    """Return the least sine between a column and those before it, in the order of the columns."""
    sizes = np.linalg.norm(J, axis=0)
    if not J.shape[1]:
        return 1.0
    if J.shape[0] < J.shape[1] or not sizes.all():
        return 0.0
    return float(np.abs(np.diag(np.linalg.qr(J / sizes)[1])).min())
