"""The constants of a robot: as plain numbers, or as named parameters that a reader may change."""

from dataclasses import replace
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Graph
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import Vector
from urdf2dyn_ros.equations.body_terms import BodyTerms
from urdf2dyn_ros.loads import JointTerm
from urdf2dyn_ros.multibody import ROOT, Multibody
from urdf2dyn_ros.program.constant_names import ConstantNames
from urdf2dyn_ros.program.general_names import GeneralNames
from urdf2dyn_ros.program.program import ParameterLine


class NamedConstants(NamedTuple):
    """
    A robot with parameters of a graph in the place of numbers.

    Terms are by number of the body; inertias are one per body, then the root's; lines are the
    names and values by number of a body, or by title.
    """

    system: Multibody
    gravity: Vector
    terms: dict[int, tuple[JointTerm, ...]]
    inertias: list[BodyInertia | None]
    lines: dict[int | str, tuple[ParameterLine, ...]]


def named_constants(graph: Graph, system: Multibody, gravity: Vector, terms: BodyTerms,
                    moving: bool, general: bool) -> NamedConstants:
    """
    Return a robot whose masses, centres, inertias and lengths are parameters of the graph.

    What follows from them gets labels. A zero in the geometry is part of the robot's structure and
    vanishes from the equations, as does a zero of friction, rotors and springs; an inertial
    parameter that happens to be zero stays. With `general` lengths of zero stay as well, and
    rotations are made of the angles of the URDF. If the root moves, its inertia counts, and
    gravity is part of its motion.
    """
    names = (GeneralNames if general else ConstantNames)(graph)
    lines: dict[int | str, tuple[ParameterLine, ...]] = {}
    if not moving:
        gravity = names.vector('g', gravity, 'gravity in the root frame [m/s^2]')
    root, root_inertia = names.attached('0', system.root, moving)
    lines[ROOT] = names.lines()
    bodies, inertias, named_terms, drivers = [], [], {}, system.drivers
    for i, old in enumerate(system.bodies):
        body, inertia = names.body(i, old, drivers[old.coordinate] != i)
        bodies.append(body)
        inertias.append(inertia)
        if i in terms:
            named_terms[i] = names.terms(i, body, terms[i])
        lines[i] = names.lines()
    forces = tuple(names.force(str(k), force) for k, force in enumerate(system.forces, 1))
    lines['constant wrenches by the environment, as the tags <force> say'] = names.lines()
    return NamedConstants(
        replace(system, bodies=tuple(bodies), root=root, forces=forces), gravity, named_terms,
        [*inertias, root_inertia], {key: kept for key, kept in lines.items() if kept})
