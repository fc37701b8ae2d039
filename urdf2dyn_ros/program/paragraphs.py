"""Statements in paragraphs: sweep by sweep, link by link, each quantity with its formula."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Expression, Graph, Node, Scalar
from urdf2dyn_ros.functions.fields import Tree
from urdf2dyn_ros.functions.mechanics import Notes
from urdf2dyn_ros.functions.mention import mention
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.loads import JointTerm, Loads
from urdf2dyn_ros.multibody import ROOT, Multibody
from urdf2dyn_ros.program.notation import SYMBOLS, formula
from urdf2dyn_ros.program.program import JointRow
from urdf2dyn_ros.program.scheduling import Schedule
from urdf2dyn_ros.program.statements import Block, Paragraph, Section, Statement, untitled

# mentioned even where no statement is left of them
_VECTOR_SYMBOLS = frozenset(('q', 'b', 'A', 'wj', 'wdj', 'bj', 'w', 'wd', 'a', 'U', 'f', 'n',
                             'fj', 'nj', 'fp', 'np', 'T', 'r', 'v', 'Ar6', 'Ar'))
OTHER_ENTRIES = 'What the efforts do not need: the other entries of these vectors'
RESULTS_TITLE = 'Results'

_About = tuple[str, int, str]
"""Section, number of a body and symbol of a quantity."""


class Noted(NamedTuple):
    """
    A quantity the sweeps have made, with the titles of section and paragraph in which it stands.

    Body, symbol and entries are as in `newton_euler.Note`, sources as `Notebook.begin` takes them;
    `nodes` is the number of nodes of the graph at that point.
    """

    section: str
    paragraph: str
    body: int
    symbol: str
    entries: tuple[Scalar, ...]
    names: tuple[str, ...]
    sources: Collection[str] | None
    nodes: int


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

        `section` stands before the titles of its sections, `tag` behind its names, which the same
        quantities of another part have already. `paragraph` is its only one; by default there is
        one a body. `sources` act in this part: keys of TERMS, 'links', 'external'; by default all
        there is.
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
