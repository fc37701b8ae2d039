"""What all languages have in common: the order of a file, statements in lines, data."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from urdf2dyn_ros.codegen.languages.self_test import SelfTest
from urdf2dyn_ros.codegen.languages.text import WIDTH, packed, wrapped
from urdf2dyn_ros.codegen.program import Block, Function, Program, Result, Statement, names_in
from urdf2dyn_ros.text import counted

EDITED = 'Parameters, as in the URDF: change a line, run again, and the efforts follow'
FOLLOW = 'What follows from them, in the frames of the equations'
FORMULAS = "First moments h = m c of centres c; inertia about the origin J = I + m (c.c 1 - c c')"
_SECOND = "Second moments, the integral of r r' over the mass: S = trace(J)/2 1 - J"
_OF_AXES = ('cr, sr, cp, sp, cy, sy: cosines and sines of roll, pitch, yaw. '
            'z of frame i is ua, the axis of joint i of length 1, in the frame that was exported; '
            'x and y: T. Duff et al., Building an Orthonormal Basis, Revisited, 2017')
"""What follows from axes that are parameters."""


class Language(SelfTest):
    """A program in one language; subclasses say what differs."""

    COMMENT = '// '   # what begins a comment
    # how {name} gets {value} in a function, in one line and in several, and outside of functions
    STATEMENT = LONG = CONSTANT = '{name} = {value};'
    # what begins a declaration of several constants outside of functions and in them, if there is
    # such a thing; what ends a statement
    DECLARE, LOCAL, END = '', '', ';'
    SPACED = True   # an empty line stands between the title of a section and its first paragraph
    # an entry of a vector and of a matrix, and the index of the first
    ENTRY, CELL, FIRST = '{name}[{k}]', '{name}[{k}][{j}]', 0
    # characters of a string literal that are escaped besides those that are not printable ASCII,
    # and how, with the number of the character
    SPECIAL, ESCAPE = '"\\', '\\u{:04x}'
    OMITS = True   # parameters without influence are not in the file

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        for form in ('STATEMENT', 'LONG', 'CONSTANT', 'DECLARE', 'LOCAL'):
            setattr(self, form, getattr(self, form).replace('@real', self.real))

    def constant_names(self) -> list[str]:
        """Return the names of the parameters, and of what follows from them."""
        return [name for group in self.program.parameters for line in group.lines
                for name in line.names] + [statement.name for block in self.program.constants
                                           for statement in block.statements]

    def quoted(self, text: str) -> str:
        """Return a string literal."""
        return '"' + ''.join(c if c.isascii() and c.isprintable() and c not in self.SPECIAL
                             else self.ESCAPE.format(ord(c)) for c in text) + '"'

    def joint_names(self) -> list[str]:
        """Return the names of the independent joints as string literals."""
        return [self.quoted(row.name) for row in self.program.independent]

    def has_angles(self, function: Function) -> bool:
        """Return whether sines and cosines are made in one loop: for speed, not for reading."""
        return self.program.style == 'fast' and function.operations.trigonometric > 0

    def comments(self, lines: Iterable[str], indent: str = '') -> Iterator[str]:
        width = WIDTH - len(indent) - len(self.COMMENT)
        for line in lines:
            in_columns = '  ' in line.strip()   # which a break would scatter
            for part in [line] if in_columns or not line else wrapped(
                    line, '', '    ', width).splitlines():
                yield f'{indent}{self.COMMENT}{part}'.rstrip()

    def rule(self, title: str, indent: str = '') -> str:
        """Return a line across the page."""
        return f'{indent}{self.COMMENT}==== {title} '.ljust(WIDTH, '=')

    def statement(self, statement: Statement, indent: str, form: str = '') -> str:
        """Return ``name = value`` in as many lines as it takes."""
        return self.assignment(statement.name, self.INFIX.signed(statement.value),
                               indent, form)

    def assignment(self, name: str, value: str, indent: str, form: str = '') -> str:
        """Return a statement from the texts of its two sides."""
        line = indent + (form or self.STATEMENT).format(name=name, value=value)
        if len(line) <= WIDTH:
            return line
        text = (form or self.LONG).format(name=name, value=value)
        width = WIDTH - len(self.CONTINUED)
        text = wrapped(text, indent, ' ' * 8, width)
        text = re.sub(r' =\n( +)\(', r' = (\n\1', text, count=1)   # or the line would end there
        return text.replace('\n', f'{self.CONTINUED}\n')

    def parameters(self, used: set[str] | None = None, indent: str = '') -> Iterator[str]:
        """Yield the editable constants, or those of them that are used."""
        if not self.program.parameters:
            return
        edited = EDITED.replace('efforts', 'results') if self.program.kinematic else EDITED
        yield from ['', self.rule(edited, indent)]
        if used is not None:
            yield from self.comments(['Those without influence are omitted.'], indent)
        spaced = self.SPACED
        for group in self.program.parameters:
            title = True
            for line in group.lines:
                kept = [(name, value) for name, value in zip(line.names, line.values)
                        if used is None or name in used]
                if kept and title:
                    yield from [''] * spaced
                    yield from self.comments([group.title], indent)
                    title, spaced = False, True
                if kept:
                    yield from self._commented(indent + self.constants(*zip(*kept)), line.comment,
                                               indent)

    def constants(self, names: Sequence[str], values: Sequence[float]) -> str:
        """Return one line that gives names their values."""
        pairs = [(name, self.number(value)) for name, value in zip(names, values)]
        if self.DECLARE:
            return self.array(self.DECLARE, [f'{name} = {value}' for name, value in pairs],
                              self.END)
        return (' ' if self.END else '; ').join(
            self.CONSTANT.format(name=name, value=value) for name, value in pairs)

    def _commented(self, code: str, comment: str, indent: str) -> Iterator[str]:
        line = f'{code:48}  {self.COMMENT}{comment}'
        if len(line) <= WIDTH:
            yield line
        else:
            yield from [f'{indent}{self.COMMENT}{comment}', code]

    def derived(self, used: set[str] | None = None, indent: str = '', form: str = '',
                ) -> Iterator[str]:
        """Yield what follows from the parameters, or as much of it as is used."""
        kept = [Block('', tuple(statement for statement in block.statements
                                if used is None or statement.name in used))
                for block in self.program.constants]
        kept = [block for block in kept if block.statements]
        if kept:
            second = any(re.match(r'S\d', statement.name)
                         for block in kept for statement in block.statements)
            yield from ['', self.rule(FOLLOW, indent), *self.comments(
                [FORMULAS, *[_SECOND] * second,
                 *[_OF_AXES] * (self.program.style == 'general')], indent)]
        for k, block in enumerate(kept):
            yield from ['', *self.block(block, indent, form)][not (k or self.SPACED):]

    def used(self, functions: Iterable[Function]) -> set[str]:
        """Return the constants and parameters that functions depend on."""
        names = set().union(*(function.names for function in functions))
        for block in reversed(self.program.constants):
            for statement in reversed(block.statements):
                if statement.name in names:
                    names |= names_in([statement.value])
        return names

    def exported_parameters(self, functions: Iterable[Function] | None = None,
                            ) -> list[tuple[str, str]]:
        used = self.used(self.program.functions if functions is None else functions)
        return [(name, self.number(value)) for group in self.program.parameters
                for line in group.lines for name, value in zip(line.names, line.values)
                if name in used or not self.OMITS]

    def block(self, block: Block, indent: str, form: str = '') -> Iterator[str]:
        """Yield a formula and its statements."""
        if block.comment:
            yield from self.comments([block.comment], indent)
        for statement in block.statements:
            yield self.statement(statement, indent, form)

    def body(self, function: Function) -> Iterator[str]:
        """Yield the statements of a function."""
        for section in function.sections:
            yield ''
            yield self.rule(section.title, self.INDENT)
            for k, paragraph in enumerate(section.paragraphs):
                if k or self.SPACED:
                    yield ''
                if paragraph.title:
                    yield from self.comments([f'---- {paragraph.title}'], self.INDENT)
                for block in paragraph.blocks:
                    yield from self.block(block, self.INDENT)

    def unpacked(self, function: Function) -> Iterator[str]:
        """Yield statements that give the entries of the inputs their names."""
        for x, entries in self.inputs(function):
            pairs = [(name, self.ENTRY.format(name=x, k=k + self.FIRST))
                     for name, k in entries]
            if pairs and self.LOCAL:
                yield self.array(self.INDENT + self.LOCAL,
                                 [f'{name} = {entry}' for name, entry in pairs], self.END)
            elif pairs:
                yield packed([self.STATEMENT.format(name=name, value=entry)
                              for name, entry in pairs],
                             self.INDENT, self.INDENT, '', '' if self.END else ';')

    def cells(self, result: Result) -> Iterator[tuple[Statement, str]]:
        """Yield a statement for each entry of a result, and its comment."""
        name, form = self.identifier(result.name), self.CELL if result.is_matrix else self.ENTRY
        for k, row in enumerate(result.rows, self.FIRST):
            for j, entry in enumerate(row.entries, self.FIRST):
                yield Statement(form.format(name=name, k=k, j=j), entry), row.comment

    def assigned(self, result: Result, omitted: Callable[[Statement], bool] = lambda cell: False,
                 ) -> Iterator[str]:
        """Yield statements that give the entries of a result, but some, their values."""
        for cell, comment in self.cells(result):
            if not omitted(cell):
                code = self.statement(cell, self.INDENT, '{name} = {value}' + self.END)
                yield code if result.is_matrix else self.note(code, comment)

    def inputs(self, function: Function) -> list[tuple[str, list[tuple[str, int]]]]:
        """Return the inputs of a function, with names and indices of the entries it uses."""
        names = function.names
        return [(self.identifier(x.name),
                 [(name, k) for k, name in enumerate(x.entries) if name in names])
                for x in function.inputs]

    def described(self, function: Function) -> list[str]:
        """Return the inputs and results of a function whose entries are not those of joints."""
        lines = [f'{self.identifier(x.name)}, {counted(len(x.entries), "entry", "entries")}: '
                 f'{x.summary}.' for x in function.inputs if not x.of_joints]
        for result in function.results:
            if any(axis.keys for axis in result.axes):
                size = counted(len(result.rows), 'entry', 'entries')
                if result.is_matrix:
                    size = ' x '.join(str(len(axis.keys) or self.n) for axis in result.axes)
                lines.append(f'{self.identifier(result.name)}, {size}: {result.quantity.summary}.')
        results = [self.identifier(name) for name in function.result_names]
        if len(results) > 1:
            lines.append(f'Results: {", ".join(results)}.')
        return lines

    def note(self, code: str, comment: str) -> str:
        return f'{code:40}  {self.COMMENT}{comment}'

    def array(self, first: str, entries: Sequence[str], last: str) -> str:
        """Return entries in lines, aligned behind what comes first."""
        return packed(entries, first, ' ' * len(first), last, continued=self.CONTINUED
                      ) if entries else first + last
