"""MATLAB and Octave: a file a function, and a script with the variables to fill in."""

from collections.abc import Iterator

from urdf2dyn_ros.languages.self_tests.matlab import MatlabSelfTest
from urdf2dyn_ros.languages.spelling import variables
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.program import Program


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: functions and a script."""
    matlab = Matlab(program)
    return {**{f'{program.name}_{function.name}.m': '\n'.join(matlab.function(function)) + '\n'
               for function in program.functions},
            f'{program.name}_main.m': '\n'.join(matlab.script()) + '\n'}


def _quoted(text: str) -> str:
    """Return a string: UTF-8 bytes where it is more than printable ASCII."""
    if text.isascii() and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return f"native2unicode(uint8([{' '.join(map(str, text.encode()))}]), 'UTF-8')"


class Matlab(MatlabSelfTest):
    """Function files, and a script."""

    COMMENT = '% '
    CONTINUED = ' ...'
    ENTRY, CELL, FIRST = '{name}({k})', '{name}({k}, {j})', 1

    def function(self, function: Function) -> Iterator[str]:
        """Yield the lines of a function's file."""
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
        yield from [*self.parameters(used, self.INDENT), *self.own_parameters(function),
                    *self.derived(used, self.INDENT)]
        yield from [*self.unpacked(function), *self.body(function), '']
        for result in function.results:
            size = ', '.join([*self.shape(result), '1'][:2])
            yield f'{self.INDENT}{result.name} = zeros({size});'
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
            yield self.call('', function, [x.name for x in function.inputs], ')' + ';' * is_first)
            if is_first:
                yield from self.shown(function)
        yield ''
        yield from self.self_test()
