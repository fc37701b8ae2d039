"""Rules on mimic joints: each follows another joint that exists and moves, and no loop."""

from collections.abc import Iterator

from urdf2dyn_ros.algebra.magnitude import LARGEST_MAGNITUDE
from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import listed, quote, suggestion
from urdf2dyn_ros.urdf.description import Description, Element, name_of, number, type_of
from urdf2dyn_ros.urdf.findings import merged, reject, warn
from urdf2dyn_ros.urdf.paths import loops, paths
from urdf2dyn_ros.urdf.schema import MULTI_DOF_TYPES


def mimics_of_fixed_joints(robot: Description) -> Iterator[Problem]:
    """A fixed joint cannot mimic."""
    mimics = ((joint, joint.find('mimic')) for joint in robot.joints)
    return merged(
        warn('mimic-ignored', mimic, 'a fixed joint cannot mimic another; the mimic is ignored, '
             'delete it', 'joint')
        for joint, mimic in mimics if mimic is not None and type_of(joint) == 'fixed')


def mimicked_joints(robot: Description) -> Iterator[Problem]:
    """The mimicked joint is another one, and both have one coordinate."""
    for joint, mimic in _mimics(robot):
        name = mimic.get('joint')
        if name is None:
            continue
        target = robot.joint_of.get(name)
        if target is None:
            others = (other for other in robot.joint_of if other != name_of(joint))
            yield reject('mimic-unknown', mimic, f'no joint is named {quote(name)}; '
                         f'{suggestion(name, others, robot.is_small)}', 'joint')
        elif name == name_of(joint):
            yield reject('mimic-self', mimic, 'the joint mimics itself; name the joint that '
                         'drives it', 'joint')
        elif type_of(target) == 'fixed':
            yield reject('mimic-fixed', mimic, f'joint {quote(name)} is fixed; mimic a joint that '
                         'moves', 'joint')
        else:
            for end in (joint, target):
                if type_of(end) in MULTI_DOF_TYPES:
                    yield reject('mimic-multi-dof', mimic, f'joint {quote(name_of(end))} is '
                                 f'{type_of(end)} and has several coordinates; only joints with '
                                 'one can mimic or be mimicked', 'joint')


def mimic_loops(robot: Description) -> Iterator[Problem]:
    """A chain of mimics ends at a joint that does not mimic."""
    mimics = _mimic_of(robot)
    for loop in loops({name: mimic.get('joint', '') for name, mimic in mimics.items()}):
        if len(loop) > 1:
            yield reject('mimic-loop', mimics[loop[0]], f'joints {listed(loop)} mimic each other; '
                         'one of them must not mimic', 'joint')


def zero_multipliers(robot: Description) -> Iterator[Problem]:
    """A joint with a multiplier of zero stands still."""
    for _, mimic in _mimics(robot):
        if number(mimic, 'multiplier') == 0.0:
            yield warn('mimic-zero', mimic, 'multiplier 0: the joint stands still at its offset',
                       'multiplier')


def products(robot: Description) -> Iterator[Problem]:
    """The product of the multipliers of a chain of mimics is not too large."""
    mimics = _mimic_of(robot)
    product: dict[str, float] = {}
    for path, driver in paths({name: mimic.get('joint', '') for name, mimic in mimics.items()}):
        for name in reversed(path):
            multiplier, before = number(mimics[name], 'multiplier'), product.get(driver, 1.0)
            value = (1.0 if multiplier is None else multiplier) * before
            if abs(value) > LARGEST_MAGNITUDE >= abs(before):
                yield reject('mimic-product', mimics[name], 'with all mimics of its chain it '
                             f'moves {value:g} times as far as the joint that drives it, more '
                             f'than {LARGEST_MAGNITUDE:g}; correct a multiplier', 'multiplier')
            driver, product[name] = name, value


def _mimics(robot: Description) -> Iterator[tuple[Element, Element]]:
    """Yield the joints that mimic others, each with its mimic."""
    for joint in robot.joints:
        mimic = joint.find('mimic')
        if mimic is not None and type_of(joint) != 'fixed':
            yield joint, mimic


def _mimic_of(robot: Description) -> dict[str, Element]:
    return {name_of(joint): mimic for joint, mimic in _mimics(robot)}


RULES = (mimics_of_fixed_joints, mimicked_joints, mimic_loops, zero_multipliers, products)
