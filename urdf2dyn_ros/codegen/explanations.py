"""
The words of a generated file: quantities and their formulas, paragraphs, and what its head says.

While a function runs on expressions it notes each quantity, whose entries get names in the graph
(`Notebook`). Statements then stand with the quantity during whose computation their node appeared,
under its formula, in the notation of Khalil and Dombre.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from urdf2dyn_ros.codegen.expression import Expression, Graph, Node, Schedule
from urdf2dyn_ros.codegen.functions import FUNCTIONS
from urdf2dyn_ros.codegen.functions import links as link_symbols
from urdf2dyn_ros.codegen.functions.function import (
    BACKWARD,
    Fields,
    LinkFrames,
    ModelFunction,
    Notes,
    Symbol,
    Tree,
    matrix,
    mention,
    tensor,
    vector,
)
from urdf2dyn_ros.codegen.program import Block, JointRow, Paragraph, Section, Statement, untitled
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loads import TERMS, Loads
from urdf2dyn_ros.robot.multibody import ROOT, Multibody
from urdf2dyn_ros.robot.spatial import Scalar, Triple, turn_in_words
from urdf2dyn_ros.robot.terms import JointTerm

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
    'nr': Symbol(BACKWARD, vector('nr'), 'nr{n} = nj{n} + Ic{n} (qdd{n} z + {wp} x qd{n} z)',
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
    at, known = Fields(tree, i, sources), SYMBOLS[symbol]
    if known.where and not getattr(at, known.where):
        return ''
    # behind a letter that says in which sweep: m of velocities, u of unit accelerations, y of
    # unit parameters
    of_joint = at.joint.formulas.get(re.sub('^[muy]', '', symbol))
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
    """
    Quantities of the sweeps, in the order in which they are made; the graph gets the labels.

    Formulas are spelled out if it is `explained`; terms are those at the joint of a body's number.
    """

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
        """
        Begin a part of the work.

        `section` stands before the titles of its sections, `tag` behind its names, which another
        part has already. `paragraph` is its only one; by default there is one a body. `sources`
        act in this part: keys of TERMS, 'links', 'external'; by default all there is.
        """
        self._section, self._tag = section, tag
        self._paragraph, self._sources = paragraph, sources

    def note(self, body: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        known = SYMBOLS[symbol]
        parent = self._tree.bodies[body].parent
        names = tuple(name.format(n=body + 1, p=parent + 1) + self._tag for name in known.names)
        for name, entry in zip(names, entries):
            self._graph.label(name, entry)
        self._noted.append(Noted(
            self._section + known.section, self._paragraph or self._titles[body], body, symbol,
            entries, names, self._sources, len(self._graph.nodes)))

    def sections(self, schedule: Schedule, continued: bool = False) -> tuple[Section, ...]:
        """
        Return every statement with the quantity during whose computation its node appeared.

        If continued, the statements go on where those of another schedule end: of what these
        explain, there is one section without titles of paragraphs.
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
        return '-' * entry.negative + str(node.value)
    if node not in schedule.names:
        return '_'
    name, negative = schedule.names[node]
    return '-' * (negative != entry.negative) + name


_TITLE = ("Notation, after Khalil and Dombre (v x w: cross product, R': transpose of R, p: parent "
          'of i):')
_SYMBOLS = """\
frame i       on link i, origin on joint i, z along the joint's axis; the root frame is 0
Ai, Ri        constant rotation from joint i to frame p; rotation of joint i, by qi about z
pi            origin of joint i in frame p; bi: acceleration of frame p there, as ai
ci, si        cosine and sine of qi
wi, wdi       angular velocity and its derivative, in frame i; w0 = wd0 = 0
ai            acceleration of the origin minus gravity, in frame i; a0 = -g
Ui            Ui r = wdi x r + wi x (wi x r): acceleration of r relative to the origin
mi, hi, Ji    mass, first moments (mass times centre), inertia about the origin, in frame i
mi_k, ..      mi, hi, Ji and centre ci_k of the k-th link fixed to link i; Mi: mass of them all
Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi
fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
wji, .. nji   the same in the axes of joint i: before it turns, or turned back (fji, nji)
Ti, wri       rotation to the root frame, and wi there; ri, vi, acci: motion of the origin there
= (.., _, ..) entries of a formula that are known; _ is one that is not needed"""
IN_ROOT_FRAME = 'Ti, wri '   # what begins the line about symbols of vectors in the root frame

_MOVING = {'; w0 = wd0 = 0': '; w0, wd0 are inputs', '; a0 = -g': '; a0 is an input'}


def in_words(system: Multibody, gravity: Triple, loads: Loads, named: Collection[str],
             ) -> Iterator[str]:
    """Yield a sentence for each load among the named inputs, results; one for what is absent."""
    yield _loads(system, loads, named)
    if not loads.moving(system):
        yield f'Gravity ({", ".join(f"{entry:g}" for entry in gravity)}) m/s^2 in the root frame.'
    elif 'base_motion' in named:
        yield ('The root moves as base_motion says. Gravity is part of it: a0 is what an '
               'accelerometer at the origin of the root measures.')
        if 'tau_coriolis' in named:
            yield ('tau_gravity is what a0 requires; tau_coriolis and tau_inertia include the '
                   "root's angular velocity and angular acceleration.")
    if 'external' in named:
        yield ('external: force and moment on a link by the environment, about its origin, in '
               'its axes.')
        for k, link in enumerate(loads.external):
            name = mention(link) or f' number {k + 1} of those requested'
            yield (f'    Entries {6 * k + 1} to {6 * k + 6}: link{name}.'
                   + _idle(system, loads, link))
    if 'payload' in named:
        yield ('payload: a body that is fixed to '
               + (f'link{mention(loads.payload)}.' if mention(loads.payload) else 'a link.')
               + _idle(system, loads, loads.payload))


def _idle(system: Multibody, loads: Loads, link: str) -> str:
    """Return a sentence if no effort depends on what acts on a link."""
    moves = loads.moving(system) or system.links[link][0] != ROOT
    return '' if moves else ' It is fixed to the world: no effort depends on it.'


def about_links(frames: LinkFrames, moving: bool) -> Iterator[str]:
    """Yield the sentences about links, for functions on which no load has an effect."""
    axes = {'root': 'in the axes of the root', 'link': 'in the axes of the link'}[frames.axes]
    several = len(frames.links) > 1
    for k, link in enumerate(frames.links, 1):
        name = mention(link) or f' number {k} of those requested'
        yield f'Results with _{k}: link{name}.' if several else f'Link{name}.'
    if moving:
        yield (f'Vectors are {axes}; poses are relative to the root, which moves; velocities and '
               'accelerations are relative to the world.')
    else:
        yield f'Vectors are {axes}, relative to the root.'


def kinematic_legend(moving: bool) -> tuple[str, ...]:
    """Return a line for each symbol of the functions about links, also where the root moves."""
    text = link_symbols.LEGEND
    for fixed, moves in link_symbols.MOVING.items() if moving else ():
        text = text.replace(fixed, moves)
    return (_TITLE, *(f'    {line}' for line in text.splitlines()))


def _loads(system: Multibody, loads: Loads, named: Collection[str]) -> str:
    """Return the loads that a function has, and those that are absent."""
    on = [name for name in TERMS if any(
        name == term.NAME and not term.is_off() for terms in loads.terms.values()
        for term in terms)]
    off = [f'no {TERMS[name].PLURAL}' for name in TERMS if name not in on]
    on_robot = [f'{_listed([TERMS[name].PLURAL for name in on])} at joints'] if on else []
    if system.forces:
        on_robot.append('the constant wrenches of the tags <force>')
    on_robot += [words for name, words in (('external', 'external wrenches'),
                                           ('payload', 'a payload')) if name in named]
    if not system.forces and not loads.external:
        off.append('no contact')
    return ('Rigid links' + (f' with {_listed(on_robot)}; ' if on_robot else ' alone: ')
            + ', '.join(off)).removesuffix('; ') + '.'


def _listed(words: Sequence[str]) -> str:
    return ' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))


def legend(functions: Iterable[ModelFunction], moving: bool, lumped: bool) -> tuple[str, ...]:
    """Return a line for each symbol; a moving base and lumped links have some of their own."""
    lines = [line for line in _SYMBOLS.splitlines() if lumped or not line.startswith('mi_k')]
    for function in functions:
        for symbols, others in function.LEGEND.items():
            k = next(k for k, line in enumerate(lines) if line.startswith(symbols))
            lines[k:k + 1] = others.splitlines()
    text = '\n'.join([_TITLE, *(f'    {line}' for line in lines)])
    for fixed, moves in _MOVING.items() if moving else ():
        text = text.replace(fixed, moves)
    return tuple(text.splitlines())
