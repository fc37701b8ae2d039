"""What is to be known of an identification, in sentences: contradictions, caveats, remarks."""

from collections.abc import Iterator
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.identification.gains import (
    DECISIVE,
    free_gains,
    ratios_of_efforts,
    sign_evidence,
)
from urdf2dyn_ros.identification.held_out import AS_URDF, IDENTIFIED
from urdf2dyn_ros.identification.result import LEAST_SHARE, Identification
from urdf2dyn_ros.identification.summary import LARGEST_DELAY, all_rows
from urdf2dyn_ros.recordings.mistakes import moved_beyond
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import listed

# ---- What the data contradict, and what else an identified model does not explain, in sentences

_FAR = 1.6   # ratio of efforts to those of the URDF from which on they contradict it
_HEAVIER = 3.0   # ratio of masses from which on a change is not plausible
# mass of the robot over that of its URDF that is plausible; 1.24 for a UR10e that is known
_LARGEST_SCALE = 1.6
# residual of all samples over that of moving ones, from which on rest is the reason
_RESTING_RATIO = 2.0


def contradictions_of(result: Identification) -> Iterator[str]:
    """Yield a sentence for whatever the data contradict of the model, the largest first."""
    joints, figures = result.robot.joints, result.held_out
    if not _carries_tool(result):
        yield from _other_bodies(result)
    scale = float(result.fit.bodies[:, 0].sum() / result.robot.prior.parameters[:, 0].sum())
    if result.payload and result.payload.known and not (
            1.0 / _LARGEST_SCALE < scale < _LARGEST_SCALE):
        mass = float(result.payload.parameters[0])
        yield (f'with a payload of {mass:.3g} kg the robot would have {scale:.2g} times the mass '
               f'of its URDF, with {mass / scale:.2g} kg the same: check --payload-mass, to which '
               'all gains are proportional, and the masses of the URDF')
    free, pool = free_gains(result.gains, len(joints)), all_rows(result.summaries)
    left = figures.moving[IDENTIFIED]
    for j in np.flatnonzero(result.poor).tolist():
        # friction brakes, whatever the bodies are
        if not free[j] and (
                np.sign(result.effort_per_unit[j]) * sign_evidence(pool, j)) < -DECISIVE:
            yield (f'{joints[j]} is hardly explained: of {figures.spread_moving[j]:.3g} about the '
                   f'mean a residual of {left[j]:.3g} remains while it moves; friction fits it '
                   'better with the opposite sign: is its sign wrong?')


def caveats_of(result: Identification) -> Iterator[str]:
    """Yield joints that are not explained, and what is to be known of the others."""
    joints, used, figures = result.robot.joints, result.used, result.held_out
    left = figures.moving[IDENTIFIED]
    for j in np.flatnonzero(result.unexplained).tolist():
        noise, what = result.dependent[j]
        beside = f' beside a noise of {noise:.3g}' if np.isfinite(noise) else ''
        yield (f'{joints[j]} has a residual of {left[j]:.3g} {result.units[j]}'
               f'{beside}, of {figures.spread_moving[j]:.3g} about the mean, R2 '
               f'{figures.r2[IDENTIFIED, j]:.2g}' + (f', which depends on {what}' if what else '')
               + '; does a contact, spring or cable act there, is its gear coupled with '
               "another joint's, or is it the effort of another joint?")
    if _carries_tool(result):
        yield from _other_bodies(result)
    for j in np.flatnonzero(result.undetermined).tolist():
        assert result.gains is not None
        yield (f'the data do not determine the gain of {joints[j]} '
               f'({result.effort_per_unit[j]:.3g} +- {100.0 * result.gains.deviations[j]:.2g} %): '
               'this joint keeps the numbers of the URDF, and files have no gain of it; record it '
               'with a larger load, or give its gain (--gains free JOINT=VALUE)')
    for name, predicted in result.validation.items():
        worse = used & (predicted.every[IDENTIFIED] >= predicted.every[AS_URDF])
        if worse.any():
            yield (f'{name}: at {", ".join(compress(joints, worse))} the identified model is no '
                   'better than the URDF; the recordings of the fit are too short or have other '
                   'motions and postures, or payload, friction or sensors have changed: identify '
                   'from more')


def _carries_tool(result: Identification) -> bool:
    """Return whether bodies need other efforts than the URDF's, but not without those at tips."""
    system, robot = result.robot.system, result.robot
    larger = {*np.flatnonzero(result.effort_ratios > _FAR).tolist()}
    # joints up the chain need more effort for a tool, too; the last one alone has another gain
    if result.gains is not None or not moved_beyond(system, result.used) & larger:
        return False
    tips = sorted({*range(len(system.bodies))} - {body.parent for body in system.bodies})
    bodies = result.fit.bodies.copy()
    if (bodies[tips, 0] < robot.prior.parameters[tips, 0]).all():
        return False
    bodies[tips] = robot.prior.parameters[tips]
    ratios, shares = ratios_of_efforts(robot, all_rows(result.summaries), bodies)
    return not _far(np.where(result.used & (shares > LEAST_SHARE), ratios, np.nan)).any()


def _far(ratios: Array) -> NDArray[np.bool_]:
    return np.isfinite(ratios) & ~((ratios > 1.0 / _FAR) & (ratios < _FAR))


def _other_bodies(result: Identification) -> Iterator[str]:
    """Yield where bodies are far from the URDF's: a contradiction, or a tool that it lacks."""
    yield from _scaled_efforts(result)
    yield from (text for text, heaviest in _changed_masses(result) if heaviest)


def _scaled_efforts(result: Identification) -> Iterator[str]:
    """Yield where bodies need far more or less effort than the URDF's."""
    robot, joints, ratios = result.robot, result.robot.joints, result.effort_ratios
    changes = {body.name: f'mass moved by {body.name} {old:.3g} -> {new:.3g} kg' for body, old, new
               in zip(robot.system.bodies, robot.prior.nominal[:, 0], result.fit.bodies[:, 0])}
    apart = _far(ratios)
    if apart.any():
        names = ' and '.join(compress(joints, apart))
        texts = ', '.join(f'{ratio:.2g} times at {joint}'
                          for ratio, joint in zip(ratios[apart], compress(joints, apart)))
        masses = '; '.join(changes[joint] for joint in compress(joints, apart) if joint in changes)
        # joints up the chain would need more effort for a tool, the last one has another gain
        larger = {*np.flatnonzero(apart & (ratios > _FAR)).tolist()}
        tool = ('does it carry a tool that the URDF is without? If not: '
                if moved_beyond(robot.system, result.used) & larger else '')
        yield (f'bodies need {texts} the effort that those of the URDF do ({masses}): {tool}is '
               f'the effort of {names} in N m or N, and that of the joint itself?')


def remarks_of(result: Identification, negative_rotors: NDArray[np.bool_]) -> Iterator[str]:
    """Yield what the model allows for, but is worth a look; some joints' rotors are at zero."""
    joints, gains, used = result.robot.joints, result.gains, result.used
    every, moving = result.held_out.every[IDENTIFIED], result.held_out.moving[IDENTIFIED]
    for j in np.flatnonzero(used & (every > _RESTING_RATIO * moving)).tolist():
        yield (f'{joints[j]}: most of its residual is at rest ({every[j]:.3g} for all samples, '
               f'{moving[j]:.3g} while it moves), where static friction is undetermined')
    yield from (text for text, heaviest in _changed_masses(result) if not heaviest)
    without = [summary.name for summary in result.summaries if summary.rows is None]
    if without:
        yield (f'of {listed(without)} the sums are at hand, not the samples: whether residuals '
               'depend on positions, velocities or time is judged without them')
    for summary in result.summaries:
        if abs(summary.delay) >= LARGEST_DELAY:
            late, why = ('late', ' Or does friction follow late when a joint turns back, as in '
                         'harmonic drives? Compare gains, rotors and residuals with --delay 0'
                         ) if summary.delay > 0.0 else ('early', '')
            yield (f'{summary.name}: the efforts are {late} by {1e3 * abs(summary.delay):.0f} ms, '
                   'more than filters of drivers explain: are positions and efforts of the same '
                   f'instant, and the positions measured, not commanded?{why}')
    turned = used & (result.effort_per_unit < 0.0)
    if turned.any() and gains is not None and gains.free.any():
        yield (f'the gain of {", ".join(compress(joints, turned))} is negative: the motor turns '
               'the other way than the joint, or the sign of its current is wrong')
    negative = negative_rotors & used
    if negative.any():
        yield ('the data would have a negative rotor inertia at '
               f'{", ".join(compress(joints, negative))}, which is bounded by zero: torque '
               'sensors on the side of the link see no rotor, and friction that lags looks alike')


def _changed_masses(result: Identification) -> Iterator[tuple[str, bool]]:
    """Yield which masses are far from the URDF's, and whether they are above all of its bodies."""
    before, after = result.robot.prior.parameters[:, 0], result.fit.bodies[:, 0]
    for body, mass, nominal in zip(result.robot.system.bodies, after, before):
        if not 1.0 / _HEAVIER <= mass / nominal <= _HEAVIER:
            why = ('does it carry a tool that the URDF is without, does a spring or a '
                   'counterweight act there, or are the efforts in other units?'
                   if mass > nominal else
                   'other bodies make up for it, as efforts hardly determine the mass of a single '
                   'one, or a spring or a counterweight carries it')
            yield (f'the body that {body.name} moves would have {mass:.3g} kg, in the URDF it has '
                   f'{nominal:.3g} kg: {why}'), mass > _HEAVIER * before.max()
