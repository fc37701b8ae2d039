"""
Names and words of a generated file: its numbers, and quantities with their formulas.

In readable style masses, centres, tensors and lengths are parameters; zeros and ones of the
geometry are structure (`ConstantNames`). In general style all numbers of the URDF are parameters,
and positions and rotations follow from them (`GeneralNames`).

While a function runs on expressions it notes each quantity, whose entries get names in the graph
(`Notebook`). Statements then stand with the quantity during whose computation their node appeared,
under its formula, in the notation of Khalil and Dombre.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from urdf2dyn_ros.codegen.expression import Expression, Graph, Node, Schedule
from urdf2dyn_ros.codegen.formulas import BACKWARD, Notation, Symbol, Tree, matrix, tensor, vector
from urdf2dyn_ros.codegen.functions import FUNCTIONS
from urdf2dyn_ros.codegen.mechanics import Notes
from urdf2dyn_ros.codegen.program import (
    Block,
    JointRow,
    Paragraph,
    ParameterLine,
    Section,
    Statement,
    untitled,
)
from urdf2dyn_ros.robot.inertia import BodyInertia, LinkInertia, about_origin, com_in_body, total
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loads import TERMS, BodyTerms, Loads
from urdf2dyn_ros.robot.multibody import ROOT, Attached, Body, LinkWrench, Multibody, Placement
from urdf2dyn_ros.robot.rotations import (
    aligned,
    composed,
    from_cosines_and_sines,
    from_rpy,
    meant,
    turn_in_words,
)
from urdf2dyn_ros.robot.spatial import (
    AXES,
    IDENTITY,
    TENSOR,
    Matrix,
    Scalar,
    Three,
    Triple,
    Vector,
    cos,
    cross,
    dot,
    reciprocal,
    sin,
    sqrt,
    symmetric,
    upper,
)
from urdf2dyn_ros.robot.terms import JointTerm
from urdf2dyn_ros.text import mention

# ---- Names of the numbers: parameters of a graph, and their lines in a file

_TENSOR_LINES = (((0, 3, 5), 'inertia about the centre of mass [kg m^2]'),
                 ((1, 2, 4), 'its products, entries of the tensor [kg m^2]'))


class ConstantNames:
    """Makes parameters of a graph, and keeps their names and values."""

    # numbers of the geometry that are part of the robot's structure
    STRUCTURAL: Sequence[float] = (0.0, 1.0, -1.0)

    def __init__(self, graph: Graph) -> None:
        self.graph, self.number = graph, ROOT   # of the body whose constants get names
        self._lines: list[ParameterLine] = []

    def lines(self) -> tuple[ParameterLine, ...]:
        """Return what has been named since the last call."""
        lines, self._lines = self._lines, []
        return tuple(lines)

    def body(self, i: int, body: Body, follows: bool) -> tuple[Body, BodyInertia | None]:
        n = str(i + 1)
        attached, inertia = self.attached(n, body.attached)
        p, R = self.joint(n, body)
        named = replace(body, attached=attached, parent_p_joint=p, parent_R_joint=R)
        if follows:
            known = self.STRUCTURAL
            multiplier, = self._named(known, [f'k{n}'], [body.multiplier], 'mimic multiplier')
            offset, = self._named(known, [f'o{n}'], [body.offset], 'mimic offset')
            named = replace(named, multiplier=multiplier, offset=offset)
        return named, inertia

    def joint(self, n: str, body: Body) -> tuple[Vector, Matrix]:
        parent = 'the root frame' if body.parent == ROOT else f'frame {body.parent + 1}'
        return (self.vector(f'p{n}', body.parent_p_joint, f'origin of joint {n} in {parent} [m]'),
                self._rotation(f'A{n}', body.parent_R_joint,
                               f'constant rotation from joint {n} to {parent}'))

    def attached(self, n: str, links: tuple[Attached, ...], heavy: bool = True,
                 ) -> tuple[tuple[Attached, ...], BodyInertia | None]:
        """Return the links of a body and, where it counts, its inertia."""
        inertias: list[tuple[str, LinkInertia]] = []
        attached: list[Attached] = []
        for k, old in enumerate(links):
            suffix = f'{n}_{k}' if k else n
            new = self.placed(old, suffix)
            attached.append(new)
            if heavy and old.link.inertia is not None:
                inertias.append((suffix, self._inertia(old, new, suffix)))
        return tuple(attached), self._total(n, inertias)

    def terms(self, i: int, body: Body, terms: Sequence[JointTerm]) -> tuple[JointTerm, ...]:
        """Return the terms at a joint; constants that follow from their parameters get names."""
        named = []
        for term in terms:
            values = {}
            for name, row, value in term.parameters():
                unit = row.unit.format(**JOINTS[body.type].units)
                values[name] = self._add((f'{row.symbol}{i + 1}',), (value,),
                                         f'{row.what} [{unit}]')[0]
            named.append(replace(term, **values))
            for symbol, scalar in named[-1].derived_parameters().items():
                self.graph.label(f'{symbol}{i + 1}', scalar, self.number)
        return tuple(named)

    def force(self, k: str, wrench: LinkWrench) -> LinkWrench:
        return LinkWrench(
            wrench.link,
            self.vector(f'Fu{k}', wrench.force, f'force on link{mention(wrench.link)}, in its '
                        'axes [N]'),
            self.vector(f'Nu{k}', wrench.moment, f'moment on link{mention(wrench.link)}, about '
                        'its origin [N m]'))

    def placed(self, old: Attached, suffix: str) -> Attached:
        n = suffix.split('_')[0]
        frame = 'the root frame' if n == '0' else f'frame {n}'
        if old.joint is None:   # the root link, whose frame is that of the equations
            return old
        first = suffix == n and n != '0'   # with its origin at the joint
        return replace(
            old, body_p_link=old.body_p_link if first else self.vector(
                f'p{suffix}', old.body_p_link, f'origin of fixed link {suffix} in {frame} [m]'),
            body_R_link=self._rotation(f'B{suffix}', old.body_R_link,
                                       f'constant rotation from link {suffix} to {frame}'))

    def _inertia(self, old: Attached, new: Attached, suffix: str) -> LinkInertia:
        inertia = old.link.inertia
        assert inertia is not None
        mass = self._add((f'm{suffix}',), (inertia.mass,), 'mass [kg]')[0]
        com = self._add(tuple(f'com{suffix}_{x}' for x in AXES), inertia.com,
                        'centre of mass in the link [m]')
        six: dict[int, Scalar] = {}
        for kept, comment in _TENSOR_LINES:
            six |= zip(kept, self._add(tuple(f'I{suffix}_{TENSOR[k]}' for k in kept),
                                       tuple(inertia.tensor[k] for k in kept), comment))
        return LinkInertia(mass, Vector(*com), symmetric(tuple(six[k] for k in range(6))),
                           self.inertial_axes(old, new, suffix, inertia.rpy), new.body_R_link,
                           new.body_p_link)

    def inertial_axes(self, old: Attached, new: Attached, suffix: str, rpy: Triple) -> Matrix:
        if rpy == (0.0, 0.0, 0.0):
            return new.body_R_link
        return self._rotation(
            f'E{suffix}', composed(old.body_R_link, from_rpy(rpy)),
            f'constant rotation from the inertial axes of link {suffix} to frame '
            f'{suffix.split("_")[0]}')

    def _total(self, n: str, links: list[tuple[str, LinkInertia]]) -> BodyInertia | None:
        """Sum up a body, with a name for what every link contributes if there are several."""
        parts = []
        for suffix, link in links:
            self.graph.label_entries(f'c{suffix}', AXES, com_in_body(link), self.number)
            parts.append(about_origin(link))
            if len(links) > 1:
                self._label(suffix if suffix != n else f'{n}_0', parts[-1])
        whole = total(parts)
        if whole is not None:
            self.graph.label(f'M{n}', whole.m, self.number)
            self._label(n, whole)
        return whole

    def _label(self, suffix: str, inertia: BodyInertia) -> None:
        self.graph.label_entries(f'h{suffix}', AXES, inertia.h, self.number)
        self.graph.label_entries(f'J{suffix}', TENSOR, upper(inertia.J), self.number)

    def vector(self, name: str, values: Three, comment: str) -> Vector:
        """Return a vector whose entries are parameters where they are not zero."""
        return Vector(*self._named(self.STRUCTURAL[:1], [f'{name}_{x}' for x in AXES], values,
                                   comment))

    def _rotation(self, name: str, m: Matrix, comment: str) -> Matrix:
        return Matrix(*(
            self._named(self.STRUCTURAL, [f'{name}_{x}{y}' for y in AXES], row, comment)
            for x, row in zip(AXES, m)))

    def _named(self, structural: Sequence[float], names: Sequence[str], values: Sequence[float],
               comment: str) -> list[Scalar]:
        """Return numbers as parameters, but for those that are part of the structure."""
        kept = [k for k, value in enumerate(values) if value not in structural]
        named = iter(self._add(tuple(names[k] for k in kept), tuple(values[k] for k in kept),
                               comment))
        return [next(named) if k in kept else values[k] for k in range(len(values))]

    def _add(self, names: tuple[str, ...], values: tuple[float, ...],
             comment: str) -> tuple[Scalar, ...]:
        if names:
            self._lines.append(ParameterLine(names, values, comment))
        return tuple(self.graph.parameter(name) for name in names)


_NO_ZERO = 1e-15   # what makes the sign of zero one, also in single precision


class GeneralNames(ConstantNames):
    """Names all lengths and angles as the URDF has them; positions and rotations get labels."""

    STRUCTURAL = ()

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._body: Body | None = None   # whose links are placed
        self._plane: Matrix = IDENTITY   # x, y and normal of the plane of a joint
        self._of_link: dict[str, tuple[Vector, Matrix]] = {}   # in the frame of its body

    def body(self, i: int, body: Body, follows: bool) -> tuple[Body, BodyInertia | None]:
        """Name the numbers; the axes of the link that the joint moves follow from its axis."""
        n = str(i + 1)
        if body.axis is not None:
            body = replace(body, alignment=self._aligned(
                n, body.axis, body.alignment, f'axis of joint {n}, of any length'))
        elif body.normal is not None:
            if body.placement is not None:   # the first of the plane's three coordinates
                # x and y of a URDF's plane jump where another entry of its normal is the least
                self._plane = self._aligned(
                    n, body.normal, aligned(body.normal), f'normal of the plane of joints {n} to '
                    f'{i + 3}, not to be edited: export the edited URDF')
                self._label_matrix(f'V{n}', self._plane)
            body = replace(body, alignment=self._plane @ composed(
                aligned(body.normal).T, body.alignment))
        self._body = body
        return super().body(i, body, follows)

    def joint(self, n: str, body: Body) -> tuple[Vector, Matrix]:
        """Return place and axes by xyz and rpy of the joint; of a further coordinate, numbers."""
        if body.placement is None:
            return body.parent_p_joint, body.parent_R_joint
        p, R = self._from_urdf(n, body.placement, f'joint {n}')
        R = R @ body.alignment
        self._label_frame(n, p, 'A', R)
        return p, R

    def placed(self, old: Attached, suffix: str) -> Attached:
        p, R = old.body_p_link, old.body_R_link
        body = self._body
        if old.placement is None and body is not None and (body.axis or body.normal):
            R = body.alignment.T
            self._label_matrix(f'B{suffix}', R)
        if old.placement is not None:
            p, R = self._from_urdf(suffix, old.placement, f'fixed link {suffix}')
            self._label_frame(suffix, p, 'B', R)
        self._of_link[old.link.name] = p, R
        return replace(old, body_p_link=p, body_R_link=R)

    def force(self, k: str, wrench: LinkWrench) -> LinkWrench:
        tag = wrench.tag
        assert tag is not None
        what = f'of tag <force> {k}, on link{mention(wrench.link)}'
        force = self.vector(f'Ft{k}', tag.force, f'force {what}, along its own axes [N]')
        torque = self.vector(f'Nt{k}', tag.torque, f'torque {what}, along these axes [N m]')
        xyz = self.vector(f'xyzF{k}', tag.xyz, f'point {what}, in the frame of the link [m]')
        R = self._from_angles(f'F{k}', tag.rpy, f'roll, pitch, yaw of the axes {what} [rad]')
        f = R @ force
        moment = R @ torque + cross(xyz, f)
        self.graph.label_entries(f'Fu{k}', AXES, f, self.number)
        self.graph.label_entries(f'Nu{k}', AXES, moment, self.number)
        return LinkWrench(wrench.link, f, moment)

    def inertial_axes(self, old: Attached, new: Attached, suffix: str, rpy: Triple) -> Matrix:
        R = new.body_R_link @ self._from_angles(
            f'I{suffix}', rpy, 'roll, pitch, yaw of its inertial axes [rad]')
        self._label_matrix(f'E{suffix}', R)
        return R

    def _from_urdf(self, n: str, placement: Placement, what: str) -> tuple[Vector, Matrix]:
        """Return position and rotation in the frame of a body, from those in that of its link."""
        link_p, link_R = self._of_link[placement.link]
        link = mention(placement.link)
        xyz = self.vector(f'xyz{n}', placement.xyz, f'origin of {what} in its parent{link} [m]')
        R = self._from_angles(n, placement.rpy, f'roll, pitch, yaw of {what} there [rad]')
        return link_p + link_R @ xyz, link_R @ R

    def _aligned(self, n: str, direction: Triple, exported: Matrix, what: str) -> Matrix:
        """
        Return the rotation of z to a direction, that of the description where it is as exported.

        Of a unit vector (x, y, z) in the frame of the latter: T. Duff et al., Building an
        Orthonormal Basis, Revisited, 2017, which is singular in no direction.
        """
        axis = self.vector(f'axis{n}', direction, what)
        size = sqrt(dot(axis, axis))
        self.graph.label(f'la{n}', size, self.number)
        x, y, z = exported.T @ (reciprocal(size) * axis)
        self.graph.label_entries(f'ua{n}', AXES, (x, y, z), self.number)
        sign = (z + _NO_ZERO) * reciprocal(abs(z + _NO_ZERO))
        a = -reciprocal(sign + z)
        self.graph.label(f'sa{n}', sign, self.number)
        self.graph.label(f'ka{n}', a, self.number)
        across = x * y * a
        columns = Matrix((1.0 + sign * x * x * a, sign * across, -sign * x),
                         (across, sign + y * y * a, -y), (x, y, z))
        return exported @ columns.T

    def _from_angles(self, n: str, rpy: Triple, comment: str) -> Matrix:
        angles = self.vector(f'rpy{n}', (meant(rpy[0]), meant(rpy[1]), meant(rpy[2])), comment)
        pairs = []
        for letter, angle in zip('rpy', angles):
            pairs.append((cos(angle), sin(angle)))
            for name, value in zip('cs', pairs[-1]):
                self.graph.label(f'{name}{letter}{n}', value, self.number)
        return from_cosines_and_sines(*pairs)

    def _label_frame(self, n: str, p: Vector, letter: str, R: Matrix) -> None:
        self.graph.label_entries(f'p{n}', AXES, p, self.number)
        self._label_matrix(f'{letter}{n}', R)

    def _label_matrix(self, name: str, R: Matrix) -> None:
        for x, row in zip(AXES, R):
            self.graph.label_entries(name, (x + y for y in AXES), row, self.number)


def named_constants(graph: Graph, system: Multibody, gravity: Three, terms: BodyTerms,
                    moving: bool, general: bool) -> tuple[
                        Multibody, Three, dict[int, tuple[JointTerm, ...]],
                        list[BodyInertia | None], dict[int | str, tuple[ParameterLine, ...]]]:
    """
    Return a robot whose masses, centres, inertias and lengths are parameters of the graph.

    That are system, gravity, terms by number of the body, inertias (one per body, then the
    root's), and the lines of parameters by number of a body, or by title. A zero in the geometry
    vanishes from the equations unless they are `general`; an inertial parameter of zero stays.
    """
    names = (GeneralNames if general else ConstantNames)(graph)
    lines: dict[int | str, tuple[ParameterLine, ...]] = {}
    if not moving:
        gravity = names.vector('g', gravity, 'gravity in the root frame [m/s^2]')
    root, root_inertia = names.attached('0', system.root, moving)
    lines[ROOT] = names.lines()
    bodies, inertias, named_terms, drivers = [], [], {}, system.drivers
    for i, old in enumerate(system.bodies):
        names.number = i
        body, inertia = names.body(i, old, drivers[old.coordinate] != i)
        bodies.append(body)
        inertias.append(inertia)
        if i in terms:
            named_terms[i] = names.terms(i, body, terms[i])
        lines[i] = names.lines()
    forces = []
    for k, force in enumerate(system.forces, 1):
        names.number = system.links[force.link][0]
        forces.append(names.force(str(k), force))
    lines['constant wrenches by the environment, as the tags <force> say'] = names.lines()
    return (replace(system, bodies=tuple(bodies), root=root, forces=tuple(forces)), gravity,
            named_terms, [*inertias, root_inertia],
            {key: kept for key, kept in lines.items() if kept})


# ---- Quantities that functions note, with their formulas

APPLIED = 'Loads on the links, in their frames'
FORWARD = 'Forward, root to tips: motion of each link, and what accelerates it'
IN_ROOT = 'In the root frame: where each frame is, and how it moves'

# quantities that functions note, by their symbols
SYMBOLS = {
    'It': Symbol(APPLIED, ('mt{n}', *vector('ht'), *tensor('Jt')),
                 'mt{n}, ht{n}, Jt{n}: mass, first moments, inertia of link {n} with its payload'),
    'fe': Symbol(APPLIED, vector('fe'), 'fe{n}: force of the environment'),
    'ne': Symbol(APPLIED, vector('ne'), 'ne{n}: its moment about the origin of frame {n}'),
    'q': Symbol(FORWARD, ('q{n}', 'qd{n}', 'qdd{n}'), 'q{n} = {multiplier}q{driver}{offset}',
                'follows'),
    'b': Symbol(FORWARD, vector('b'), 'b{n} = a{p} + U{p} p{n}'),
    'A': Symbol(FORWARD, (), lambda at: f'A{at.n}: {turn_in_words(at.body.parent_R_joint)}',
                'rotated'),
    'wj': Symbol(FORWARD, vector('wj'), "wj{n} = A{n}' w{p}", 'rotated'),
    'wdj': Symbol(FORWARD, vector('wdj'), "wdj{n} = A{n}' wd{p}", 'rotated'),
    'bj': Symbol(FORWARD, vector('bj'), "bj{n} = A{n}' b{n}", 'rotated'),
    'R': Symbol(FORWARD, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
    'w': Symbol(FORWARD, vector('w')),
    'wd': Symbol(FORWARD, vector('wd')),
    'a': Symbol(FORWARD, vector('a')),
    'ww': Symbol(FORWARD, tuple('ww{n}_' + x for x in ('xx', 'yy', 'zz', 'xy', 'xz', 'yz')),
                 "ww{n} = w{n} w{n}'"),
    'U': Symbol(FORWARD, matrix('U'), 'U{n} = [wd{n}]x + [w{n}]x [w{n}]x'),
    'F': Symbol(FORWARD, vector('F'), 'F{n} = {m} a{n} + U{n} h{t}{n}'),
    'L': Symbol(FORWARD, vector('L'), 'L{n} = J{t}{n} w{n}'),
    'N': Symbol(FORWARD, vector('N'), 'N{n} = J{t}{n} wd{n} + w{n} x L{n} + h{t}{n} x a{n}'),
    'f': Symbol(BACKWARD, vector('f'), 'f{n} = {F}'),
    'n': Symbol(BACKWARD, vector('n'), 'n{n} = {N}'),
    'fj': Symbol(BACKWARD, vector('fj')),
    'nj': Symbol(BACKWARD, vector('nj')),
    'fp': Symbol(BACKWARD, vector('fp'), 'fp{n} = {A}fj{n}'),
    'np': Symbol(BACKWARD, vector('np'), 'np{n} = {A}{nj}{n} + p{n} x fp{n}'),
    **{name: Symbol(BACKWARD, (name + '{n}',)) for name in TERMS},
    'nr': Symbol(BACKWARD, vector('nr'), 'nr{n} = nj{n} + {Ic} (qdd{n} z + {wp} x qd{n} z)',
                 'on_parent'),
    'tau': Symbol(BACKWARD, ('tau{n}',), '{tau}'),
    'T': Symbol(IN_ROOT, matrix('T'), 'T{n} = {T}{A}R{n}'),
    'r': Symbol(IN_ROOT, vector('r'), 'r{n} = r{p} + {T}p{n}'),
    'v': Symbol(IN_ROOT, vector('v'), 'v{n} = v{p} + {T}(w{p} x p{n})'),
    'acc': Symbol(IN_ROOT, vector('acc'), 'acc{n} = T{n} a{n} + g'),
    'wr': Symbol(IN_ROOT, vector('wr'), 'wr{n} = wr{p} + T{n} qd{n} z', 'turning'),
    'at': Symbol(IN_ROOT, (), 'what is shared by the points fixed to link {n}, and by f{n}, n{n}'),
    **{symbol: known for function in FUNCTIONS.values()
       for symbol, known in function.SYMBOLS.items()},
}


def formula(tree: Tree, i: int, symbol: str, sources: Collection[str] | None = None) -> str:
    """Return what a quantity of body i is, as a textbook writes it; empty if it is another one."""
    at, known = Notation(tree, i, sources), SYMBOLS[symbol]
    if known.where and not getattr(at, known.where):
        return ''
    of_joint = at.joint.formulas.get(known.of_joint or symbol)
    text = at.terms[symbol].formula() if symbol in at.terms else of_joint or known.formula
    text = (text.format_map(at) if isinstance(text, str) else text(at)).rstrip()
    text = text.replace('=  - ', '= -')
    return text + ' 1' if text.endswith('=') else text


# mentioned even where no statement is left of them
_VECTOR_SYMBOLS = frozenset(('q', 'b', 'A', 'wj', 'wdj', 'bj', 'w', 'wd', 'a', 'U', 'f', 'n',
                             'fj', 'nj', 'fp', 'np', 'T', 'r', 'v', 'Ar6', 'Ar'))
OTHER_ENTRIES = 'What the efforts do not need: the other entries of these vectors'
RESULTS_TITLE = 'Results'

_About = tuple[str, int, str]   # section, number of a body and symbol of a quantity


class Noted(NamedTuple):
    """A quantity the sweeps have made; body, symbol and entries are as in `newton_euler.Note`."""

    section: str   # title, as that of the paragraph
    paragraph: str
    body: int
    symbol: str
    entries: tuple[Scalar, ...]
    names: tuple[str, ...]
    sources: Collection[str] | None   # as `Notebook.begin` takes them
    nodes: int   # of the graph at that point


class Notebook(Notes):
    """Quantities of the sweeps, in the order in which they are made; the graph gets the labels."""

    def __init__(self, graph: Graph, system: Multibody, rows: Sequence[JointRow],
                 explained: bool, terms: Mapping[int, Sequence[JointTerm]], loads: Loads,
                 general: bool) -> None:
        self._graph, self._rows, self._explained = graph, rows, explained
        self._tree = Tree(system, terms, loads, general)
        self._lumped = [len(body.attached) > 1 for body in system.bodies]
        self._noted: list[Noted] = []
        self._sections: set[str] = set()
        self._known: set[_About] = set()   # of which formulas are spelled out already
        self._titles = {body: self.title(body) for body in (ROOT, *range(len(rows)))}
        self.begin()

    def begin(self, section: str = '', tag: str = '', paragraph: str = '',
              sources: Collection[str] | None = None) -> None:
        # what stands before the titles of its sections, and behind names that another part has;
        # its only paragraph, by default one a body; what acts in it, as for `Notation`
        self._section, self._tag = section, tag
        self._paragraph, self._sources = paragraph, sources

    def note(self, body: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        known = SYMBOLS[symbol]
        parent = self._tree.bodies[body].parent
        names = tuple(name.format(n=body + 1, p=parent + 1) + self._tag for name in known.names)
        for name, entry in zip(names, entries):
            self._graph.label(name, entry, body)
        self._noted.append(Noted(
            self._section + known.section, self._paragraph or self._titles[body], body, symbol,
            entries, names, self._sources, len(self._graph.nodes)))

    def sections(self, schedule: Schedule, continued: bool = False) -> tuple[Section, ...]:
        """
        Return every statement with the quantity during whose computation its node appeared.

        If continued, they go on where those of another schedule end: what these explain is one
        section without titles.
        """
        waiting = list(schedule.by_node.items())[::-1]
        explained = set(self._known) if continued else set()
        more: list[Block] = []
        sections = []
        for section, in_section in groupby(self._noted, lambda noted: noted.section):
            paragraphs = []
            for title, quantities in groupby(in_section, lambda noted: noted.paragraph):
                blocks = [*self._blocks(quantities, waiting, explained, schedule)]
                if blocks:
                    paragraphs.append(Paragraph(title, tuple(blocks)))
            blocks = [block for paragraph in paragraphs for block in paragraph.blocks]
            if continued and section in self._sections:
                more += blocks
            elif any(block.statements for block in blocks):
                sections.append(Section(section, tuple(paragraphs)))
        if more:
            sections.insert(0, Section(OTHER_ENTRIES, (Paragraph('', tuple(more)),)))
        if not continued:
            self._sections = {section.title for section in sections}
            self._known = {about for about in explained if about[0] in self._sections}
        if waiting:   # no quantity was noted after these
            sections.append(untitled((statement for _, statement in reversed(waiting)),
                                     RESULTS_TITLE))
        return tuple(sections)

    def _blocks(self, quantities: Iterable[Noted], waiting: list[tuple[Node, Statement]],
                explained: set[_About], schedule: Schedule) -> Iterator[Block]:
        """Yield a block for each quantity, whose statements leave the end of `waiting`."""
        for noted in quantities:
            made: list[Statement] = []
            while waiting and waiting[-1][0].serial < noted.nodes:
                made.append(waiting.pop()[1])
            about = (noted.section, noted.body, noted.symbol)
            comment = ''
            if self._explained and (made or about not in explained):
                comment = self._comment(noted, made, schedule)
            explained.add(about)
            if made or comment:
                yield Block(comment, tuple(made))

    def title(self, body: int) -> str:
        """Return what a paragraph is about; names that are not plain stay out of comments."""
        if body == ROOT:
            return 'the root'
        row = self._rows[body]
        link = f'link {row.number}{mention(row.link)}'
        if self._lumped[body]:
            link += ' and what is fixed to it'
        verb = JOINTS[row.type].verb
        return f'{link}, {verb} by joint {row.number}{mention(row.name)}'

    def _comment(self, noted: Noted, made: list[Statement], schedule: Schedule) -> str:
        """Return the formula, and entries that are known without a statement of their own."""
        names = list(noted.names)
        shown = [_shown(entry, schedule) for entry in noted.entries]
        known = {name: text for name, text, entry in zip(names, shown, noted.entries)
                 if text not in (name, '_') and isinstance(entry, Expression)}
        needed = ((any(text not in '_0' for text in shown) or '_' not in shown)
                  if len(names) <= 3 else bool(known))
        if not made and (noted.symbol not in _VECTOR_SYMBOLS or not needed
                         or (names and shown == names)):
            return ''
        sources = noted.sources
        if not made and sources is not None and 'links' not in sources and not any(
                isinstance(entry, Expression) for entry in noted.entries):
            return ''   # nothing to transmit
        text = formula(self._tree, noted.body, noted.symbol, sources)
        if shown == names or not text:
            return text
        if len(names) == 3:
            return f'{text} = ({", ".join(shown)})'
        pairs = [f'{name} = {text}' for name, text in known.items()]
        return ', '.join([text, *pairs]) if 0 < len(known) < len(names) else text


def _shown(entry: Scalar, schedule: Schedule) -> str:
    """Return under which name or value an entry is known, or _ where it is not needed."""
    if not isinstance(entry, Expression):
        return f'{entry + 0.0:g}'
    node: Node = entry.node
    if not node.args:
        return ('-' if entry.negative else '') + str(node.value)
    if node not in schedule.names:
        return '_'
    name, negative = schedule.names[node]
    return ('-' if negative != entry.negative else '') + name
