"""MATLAB and Octave: a file a function, and a script with the variables to fill in."""

from collections.abc import Iterable, Iterator, Sequence

from urdf2dyn_ros.codegen.infix import packed
from urdf2dyn_ros.codegen.languages.language import Around, Language, variables
from urdf2dyn_ros.codegen.program import Function


def _quoted(text: str) -> str:
    """Return a string: UTF-8 bytes where it is more than printable ASCII."""
    if text.isascii() and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return f"native2unicode(uint8([{' '.join(map(str, text.encode()))}]), 'UTF-8')"


_CLOSE = """\
function [passive, status] = @name@_close(q, passive)
% Close the loops: passive is near them, as it was the last time, or where the robot starts.
% status is 'closed'; 'open' if the loops do not close, and passive stays where it is; 'singular'
% if passive joints can move by themselves.
    if nargin < 2
        passive = [@start@].';
    end
    near = passive;
    status = 'open';
    for step = 1:@steps@
        [near, gap, margin] = @name@_closure(q, near);
        if gap < @gap@
            passive = near;
            status = 'singular';
            if margin >= @margin@
                status = 'closed';
            end
            return
        end
    end
end"""


class Matlab(Language):
    COMMENT = '% '
    CONTINUED, PREFIXED, NAMES_RESULTS = ' ...', True, True
    NO_CHOICE = 'its literals are of double precision, which results would follow'
    ENTRY, CELL, FIRST = '{name}({k})', '{name}({k}, {j})', 1
    TABLE, ROW, EMPTY = Around('{name} = [', '];'), Around('', ';'), 'zeros(1, 0)'
    SCALE = Around('{name} = [', "].';")
    KEYS, QUOTE = Around('{axis}_names = {{', '};'), "'"
    SELF_TEST = 'matlab'
    TEST = 'octave {name}_main.m, or {name}_main in MATLAB'

    def files(self) -> dict[str, Iterable[str]]:
        name, functions = self.program.name, self.program.functions
        solver = {f'{name}_close.m': self.loop_solver(_CLOSE)} if self.program.start else {}
        return {**{f'{name}_{each.name}.m': self.function(each) for each in functions}, **solver,
                f'{name}_main.m': self.script()}

    def function(self, function: Function) -> Iterator[str]:
        used = self.used([function])
        name = f'{self.program.name}_{function.name}'
        yield self.call('function ', function, [x.name for x in function.inputs], ')')
        joint_inputs = ', '.join(x.name for x in function.inputs if x.of_joints)
        own = len(self.program.functions) > 1 and bool(self.program.parameters)
        yield from self.comments([
            f'{name.upper()} Return {function.summary}.', '',
            f'{joint_inputs}: columns (n x 1) of one state.', *self.described(function),
            *['Every function has parameters of its own: change them in all files.'] * own, '',
            *self.heading()])
        yield from self.parameters(used, self.INDENT)
        own_names = [name for name, _ in self.exported_parameters([function])]
        if own_names:   # called without arguments, a function returns them
            yield '    if nargin == 0   % for the check, which reports changed parameters'
            yield self.array(f'        {function.result_names[0]} = [', own_names, '];')
            yield from ['        return', '    end']
        yield from [*self.derived(used, self.INDENT),
                    *self.unpacked(function), *self.body(function), '']
        for result in function.results:
            size = ', '.join([*self.shape(result), '1'][:2])
            yield f'    {result.name} = zeros({size});'
            yield from self.assigned(result)
        yield 'end'

    def script(self) -> Iterator[str]:
        """Yield the lines of the script: a state that people fill in, and the check."""
        rows, reference = self.program.independent, self.program.references[0]
        names = variables(rows)
        yield from self.comments(['A state to evaluate: fill it in and run this file.', '',
                                  *self.heading()])
        yield ''
        yield from ['joint_names = {', *(f'    {_quoted(row.name)}' for row in rows), '};']
        for k, row in enumerate(rows):
            for x, (kind, unit, _) in self.program.state.items():
                code = f'gv_{kind}_{names[k]} = {self.number(reference.arguments[x][k])};'
                yield f'{code:58}  % [{unit.format(unit=row.unit, effort=row.effort_unit)}]'
        yield ''
        for x, (kind, _, _) in self.program.state.items():
            entries = [f'gv_{kind}_{name}' for name in names]
            yield self.array(f'{x} = [', entries, '];').replace(',', ';')
        for each in self.load_inputs():
            yield from ['', *self.comments([each.summary])]
            entries = list(map(self.number, reference.arguments[each.name]))
            yield self.array(f'{each.name} = [', entries, '];').replace(',', ';')
        for function in self.program.functions:
            yield f"disp('{self.program.name}_{function.name}')"
            is_first = function is self.program.functions[0] and bool(self.vectors)
            yield self.call('', function, [x.name for x in function.inputs],
                            ');' if is_first else ')')
            if is_first:
                yield from self.shown(function)
        yield ''
        yield from self.self_test()

    def call(self, first: str, function: Function, arguments: Sequence[str], last: str) -> str:
        """Return an assignment of all results of a call, which begins with `first`."""
        names = function.result_names
        call = f' = {self.program.name}_{function.name}('
        head = first + (names[0] if len(names) == 1 else f'[{", ".join(names)}]') + call
        if self.many(function):
            head = packed(names, f'{first}[', ' ' * len(f'{first}['), f']{call}',
                          continued=self.CONTINUED)
        *before, head = head.split('\n')
        return '\n'.join([*before, packed(arguments, head, ' ' * 8, last,
                                          continued=self.CONTINUED)])

    def shown(self, function: Function) -> Iterator[str]:
        for result in function.results:
            if result not in self.vectors:
                yield f'{result.name}'
                continue
            if self.many(function):
                yield f"disp('{result.name}')"
            names = 'joint_names'
            if not result.of_joints:   # those of the check come later
                names = 'names'
                keys = [f"'{key}'" for key in result.quantity.rows.keys]
                yield self.array('names = {', keys, '};')
            yield self.array('units = {', self.units(result, "'"), '};')
            yield from [f'for i = 1:numel({result.name})',
                        f"    fprintf('%-24s %.9g %s\\n', {names}{{i}}, "
                        f'{result.name}(i), units{{i}});', 'end']

    def blocks(self) -> dict[str, Iterable[str]]:
        return {**super().blocks(), 'changed': self.changed()}

    def changed(self) -> Iterator[str]:
        for function in self.program.functions:
            own = self.exported_parameters([function])
            if own:
                yield self.array('parameters = {', [f"'{name}'" for name, _ in own], '};')
                yield self.array('exported = [', [value for _, value in own], '];')
                yield from [
                    f'for i = find({self.program.name}_{function.name}() ~= exported)',
                    f"    fprintf(['parameter %s of {function.name} was changed: ' ...",
                    "             'the reference values do not apply\\n'], parameters{i});",
                    '    states = 0;', 'end']

    def check(self, function: Function) -> Iterator[str]:
        arguments = [f"reference_{x.name}(k, :).'" for x in function.inputs]
        yield self.call('    ', function, arguments, ');')
        for result in function.results:
            names, value = self.row_names(result), result.name
            if result.is_matrix:
                value += f" * reference_{result.quantity.times}(k, :).'"
            scale = self.named('scale', result) if self.scales else '1'
            yield f"    found = {value}; expected = {self.named('expected', result)}(k, :).';"
            yield ('    for i = find(~(abs(found - expected) <= '
                   f"1e-9 * max({scale}, abs(expected)))).'")
            title = self.title(function, result)
            yield f"        fprintf('{title}, %s: %.17g instead of %.17g\\n', ..."
            yield f'                {names}{{i}}, found(i), expected(i));'
            yield '        wrong = wrong + 1;'
            yield '    end'
