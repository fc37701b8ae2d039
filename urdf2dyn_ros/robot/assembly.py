"""
The assembly of a robot with closed loops: actuated and passive joints, constraints, a start.

`solve_loops` completes a model that has loops, once, when it is read. It assembles the robot by
Levenberg-Marquardt, compares its mobility with the actuated joints, holds rods that spin about
themselves, makes linear relations of passive joints mimics (a parallelogram, a belt), and chooses
as many constraints for the others as there are.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Real

import numpy as np

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.robot.cut_tree import CutTree
from urdf2dyn_ros.robot.loops import constraints_of
from urdf2dyn_ros.robot.model import ClosedLoops, Mimic, RobotModel
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import listed, quote

SINGULAR = 1e-3   # least sine between the columns of the unknown joints; below, no efforts
OPEN = 1e-6   # [m] that a loop may be open before a step of Newton's method, which closes it
_CLOSED_AT_ZERO = 1e-3, 1e-2   # [m, and m for a turn of 1 m]; least margin: a pose to start from
_ASSEMBLED = 1e-4   # [m] that a pose may be open: of rounded files all rows never close
_IDLE = 1e-2   # share of the size that a rod moves whose joints are not exactly on its axis
_LINEAR = 1e-9   # that a passive joint may differ from a linear function of the driven ones
_SEEDS = 48   # poses from which the robot is assembled
_POSES = 8   # in which G and rows are compared


def solve_loops(model: RobotModel, start: Mapping[str, float] | None = None) -> RobotModel:
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
    if start is not None and not isinstance(start, Mapping):
        raise _problem('loop-open', 'start', f"it is {start!r}; it must be a mapping: "
                       "{'rocker': 0.4}")
    if not (model.loops or model.couplings):
        if start:
            raise _problem('loop-open', 'start', 'it is a pose of a robot with closed loops, and '
                           'this one has none: leave it out')
        return model
    solved, held, notes = replace(model, warnings=()), {}, []
    tree = _Assembly(solved)
    poses = tree.assembled(start or {}, tree.seeds(start or {}))
    while True:
        passive = tree.passive(poses)
        if idle := tree.idle(passive, poses):
            held.update(idle)
            solved = _with_mimics(solved, {name: ({tree.names[next(
                k for k in range(tree.n) if k not in passive)]: 0.0}, position)
                for name, position in idle.items()})
            tree, poses = tree.again(solved, start or {}, poses)
            continue
        rows = picked(tree.evaluate(poses)[1][:, :, passive])
        pose, margin, said = tree.start(poses, rows, passive, bool(start))
        for _ in range(4 * (tree.open(pose) > 1e-9)):   # rows that are dropped may stay open
            phi, J = tree.evaluate(pose[None])
            pose[passive] -= np.linalg.solve(J[0, rows][:, passive], phi[0, rows])
        relations = tree.linear(pose, rows, passive)
        if not relations:
            break
        solved = _with_mimics(solved, relations)
        tree, poses = tree.again(solved, start or {}, poses)
    other = None if said else tree.other(pose, rows, passive)
    names = [tree.names[k] for k in passive]
    actuated = tuple(name for name in tree.names if name not in names)
    every = _Assembly(replace(model, warnings=())).names
    used = sorted({tree.rows[r].loop for r in rows if r < len(tree.rows)})
    number = {loop: k for k, loop in enumerate(used)}
    for name, position in held.items():
        notes.append(Problem(
            'idle-joint', 'it moves nothing but a rod about itself, and no actuated joint: it is '
            f'held at {position:.6g}', f'joint {quote(name)}', refused=False,
            effect='those of the actuated joints lack what spins the rod'))
    return replace(
        solved, warnings=(*model.warnings, *notes), closed_loops=ClosedLoops(
            tuple(model.loops[k] for k in used), actuated, tuple(names),
            tuple(name for name in every if name not in actuated),
            tuple(replace(tree.rows[r], loop=number[tree.rows[r].loop]) for r in sorted(rows)),
            tree.positions(pose, every), margin,
            tree.positions(other, every) if other is not None else ()))


def moved_start(model: RobotModel, positions: Mapping[str, float]) -> dict[str, float]:
    """Return the start pose with some joints elsewhere, on the same branch: in small steps."""
    loops = model.closed_loops
    assert loops is not None
    if passive := [name for name in loops.passive if name in positions]:
        raise _problem('loop-notation', 'lock', f'{listed(passive)} cannot be locked: passive '
                       'joints follow the actuated ones of their loop. Lock these, of '
                       f'{listed(loops.actuated, 30)}')
    tree, start = _Assembly(replace(unsolved(model), warnings=())), dict(loops.start)
    q = np.array([[start[name] for name in tree.names]])
    free = [k for k, name in enumerate(tree.names) if name in loops.passive]
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
    if model.closed_loops is None:
        return model
    before = model.closed_loops.passive
    return replace(
        model, closed_loops=None,
        warnings=tuple(each for each in model.warnings if each.code != 'idle-joint'),
        joints=tuple(replace(joint, mimic=None, also=()) if joint.name in before else joint
                     for joint in model.joints))


class Gaps:
    """How far open each loop and each gear of a robot is in poses of all its joints."""

    def __init__(self, model: RobotModel) -> None:
        self._tree = _Assembly(replace(unsolved(model), warnings=()))

    def __call__(self, poses: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
        """Return distance [m] and angle [rad] of each, by its name: the least of all poses."""
        tree = self._tree
        phi, _ = tree.evaluate(np.array([[pose[name] for name in tree.names] for pose in poses]))
        gaps = {}
        for k, loop in enumerate(tree.model.loops):
            of = [r for r, row in enumerate(tree.rows) if row.loop == k]
            turn = [r for r in of if tree.rows[r].kind == 'turn']
            sine = np.linalg.norm(phi[:, turn], axis=1).min() / tree.size
            gaps[loop.name] = (float(np.linalg.norm(phi[:, [*{*of} - {*turn}]], axis=1).min()),
                               math.asin(min(sine, 1.0)))
        for r, coupling in enumerate(tree.model.couplings, len(tree.rows)):
            gap = np.abs(phi[:, r])
            turns = tree.turning[tree.gears[0][r - len(tree.rows)] != 0.0].all()
            gap = np.abs(np.remainder(gap + math.pi, 2.0 * math.pi) - math.pi) if turns else gap
            gaps[coupling.name] = ((0.0, float(gap.min())) if turns else (float(gap.min()), 0.0))
        return gaps


def about_loops(model: RobotModel) -> Iterator[str]:
    """Yield how the loops of a robot are solved, in words."""
    closed_loops = model.closed_loops
    if closed_loops is None:
        return
    linear = [name for name in closed_loops.passive if name not in closed_loops.unknown]
    margin = f', least sine {closed_loops.margin:.3g} at the start'
    yield (f'closed loops: actuated {listed(closed_loops.actuated)}; passive '
           f'{listed(closed_loops.passive)}' + margin * bool(closed_loops.unknown))
    for k, loop in enumerate(closed_loops.loops):
        needed = sum(row.loop == k for row in closed_loops.constraints)
        if needed < (every := len(constraints_of(k, loop, 1.0))):
            yield (f'loop {quote(loop.name)}: {every - needed} of its {every} equations follow '
                   'from the others, so what it transmits there is undetermined '
                   '[redundant-closure]')
    for joint in model.joints:
        if joint.name in linear and joint.mimic is not None:
            sum_ = ' '.join(f'{mimic.multiplier:+.6g} {mimic.joint}'
                            for mimic in (joint.mimic, *joint.also) if mimic.multiplier)
            offset = f' {joint.mimic.offset:+.6g}' if joint.mimic.offset or not sum_ else ''
            yield f'joint {quote(joint.name)} = {sum_}{offset}'


def ambiguous(closed_loops: ClosedLoops) -> UrdfError:
    """Return an error that says that two poses close the loops, and how to choose one."""
    poses = [', '.join(f'{name!r}: {position:.5g}' for name, position in pose)
             for pose in (closed_loops.start, closed_loops.other)]
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


class _Assembly(CutTree):
    """How a cut tree is assembled, and which of its joints are actuated, passive or idle."""

    def seeds(self, start: Mapping[str, float]) -> Array:
        """Return poses near the start or zero, and, where that is no closed pose, anywhere."""
        if unknown := [name for name in start if name not in (body.name for body in
                                                              self.system.bodies)]:
            raise _problem('loop-open', 'start', f'there are no joints '
                           f'{listed([*map(str, unknown)])}; the joints are {listed(self.names)}')
        for name, position in start.items():
            if not isinstance(position, Real) or not math.isfinite(position):
                raise _problem('loop-open', 'start', f'the position of {quote(name)} is '
                               f'{position!r}: it must be a finite number [rad or m]')
        first = np.array([start.get(name, 0.0) for name in self.names])
        rng = np.random.default_rng(1)
        seeds = np.clip(first + rng.normal(0.0, 0.3, (_POSES, self.n)), *self.range)
        seeds[0] = np.clip(first, self.lower, self.upper)
        if not start and self.open(first) > _CLOSED_AT_ZERO[0]:   # it may be anywhere
            seeds = np.vstack([seeds, rng.uniform(*self.range, (_SEEDS, self.n))])
        return seeds

    def again(self, model: RobotModel, start: Mapping[str, float],
              poses: Array) -> tuple['_Assembly', Array]:
        """Return the tree with some joints less, and its closed poses, from those of this one."""
        tree = _Assembly(model)
        return tree, tree.assembled(start, poses[:, [self.names.index(x) for x in tree.names]])

    def assembled(self, start: Mapping[str, float], seeds: Array) -> Array:
        """Return closed poses, that nearest to the start or to zero first."""
        apart = np.abs(self.evaluate(seeds)[1]).max(axis=(0, 1), initial=0.0) < 1e-9
        seeds[:, apart] = seeds[0, apart]   # joints in no loop
        poses, error = self.close(seeds, range(self.n), whole=True)
        good = error < _ASSEMBLED
        poses = self.wrapped(poses)
        if not good.any() or (start and not good[0]):
            k = 0 if start else int(error.argmin())
            phi = np.abs(self.evaluate(poses[[k]], whole=True)[0][0])
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
        return {self.names[passive[j]]: float(poses[0][passive[j]]) for j in picked(null.T[None])}

    def _travel(self, q: Array, speed: Array) -> float:
        """Return how fast [m] joints and points of loops move for a speed of the joints."""
        def points(q: Array) -> Array:
            frames = self.frames(q[None])
            return np.vstack([frames[1][:, 0], *(end.at(frames)[1] for cut in self.cuts
                                                 for end in cut.ends)])

        step = 1e-5
        moved = points(q + step * speed) - points(q - step * speed)
        return float(np.abs(moved).max() / (2.0 * step))

    # ---- The start pose, and linear relations

    def margins(self, poses: Array, rows: Sequence[int], passive: Sequence[int]) -> Array:
        """Return the least sine between the columns of the passive joints in each pose."""
        J = self.evaluate(poses)[1][:, rows][:, :, passive]
        return np.array([least_sine(each) for each in J])

    def start(self, poses: Array, rows: Sequence[int], passive: Sequence[int], given: bool,
              ) -> tuple[Array, float, bool]:
        """Return the pose to start from, its margin, and whether it is said, or the zero pose."""
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
            return pose, float(margins[0]), True
        return poses[best], float(margins[best]), False

    def other(self, pose: Array, rows: Sequence[int], passive: Sequence[int]) -> Array | None:
        """Return another pose that is as good, with the same positions of the motors, if any."""
        seeds = np.tile(pose, (_SEEDS, 1))
        seeds[:, passive] = np.random.default_rng(2).uniform(
            *self.range, seeds.shape)[:, passive]
        others, error = self.close(seeds, passive, whole=True)
        others = self.wrapped(others)
        turn = np.where(self.turning, 2.0 * math.pi, 1e9)
        away = np.abs(others - pose)
        away = np.minimum(away, np.abs(away - turn * np.round(away / turn))).max(axis=1)
        good = (error < _ASSEMBLED) & (away > 1e-3) & self.within(others)
        others = others[good]
        if len(others):
            others = others[self.margins(others, rows, passive) > SINGULAR]
        return others[0] if len(others) else None

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
        q, J = q[good], J[good.argmax()]
        G = -np.linalg.solve(J[:, passive], J[:, driven])
        relations = {}
        for k, row in zip(passive, G):
            if self.names[k] in single and np.ptp(q[:, k] - q[:, driven] @ row) < _LINEAR:
                factors = np.where(np.abs(row - row.round(6)) < _LINEAR, row.round(6), row)
                offset = float(np.median(q[:, k] - q[:, driven] @ factors))
                offset = 0.0 if abs(offset) < _LINEAR else offset
                relations[self.names[k]] = (
                    {self.names[d]: float(x) for d, x in zip(driven, factors)}, offset)
        return relations


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
