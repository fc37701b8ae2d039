"""Fortran 2008, free form: a module, and a program that checks it."""

import re
from collections.abc import Iterator

from urdf2dyn_ros.languages.infix import Infix, shortest
from urdf2dyn_ros.languages.lines import packed
from urdf2dyn_ros.languages.self_tests.fortran import FortranSelfTest
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.program import Program


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: a module and its check, which has a main program."""
    fortran = Fortran(program)
    return {f'{program.name}_dynamics.f90': '\n'.join(fortran.module()) + '\n',
            f'{program.name}_self_test.f90': '\n'.join(fortran.main_program()) + '\n'}


class Fortran(FortranSelfTest):
    """A module of subroutines, and a program."""

    COMMENT = '! '
    STATEMENT = LONG = '{name} = {value}'
    DECLARE, END, CONTINUED = 'real(dp), parameter :: ', '', ' &'
    CONSTANT = DECLARE + '{name} = {value}'
    ENTRY, CELL, FIRST = '{name}({k})', '{name}({k}, {j})', 1
    CASELESS, RESERVED = True, ('dp', 'joints', 'joint_names', 'sin', 'cos', 'exp', 'tanh', 'sqrt',
                                'abs', 'parameter_names', 'parameter_values')
    INFIX = Infix(number=lambda value: shortest(value) + '_dp')

    def module(self) -> Iterator[str]:
        functions, names = self.program.functions, self.joint_names()
        length = max([1, *(len(row.name.encode()) for row in self.program.independent)])
        yield from self.comments(self.heading())
        yield from [f'module {self.space}', 'implicit none', 'private',
                    self.array('public :: ', [function.name for function in functions], ''), '',
                    'integer, parameter, public :: dp = kind(1.0d0)',
                    f'integer, parameter, public :: joints = {self.n}',
                    '! UTF-8, in the order of all vectors, with blanks behind the shorter ones',
                    'character(len=*), parameter, public :: joint_names(joints) = '
                    f'[character(len={length}) :: &', self.array(self.INDENT, names, ']')]
        used = self.used(functions)
        yield from [*self.parameters(used), *self.module_parameters(),
                    *self.derived(used, '', self.CONSTANT), '', 'contains']
        for function in functions:
            yield from ['', *self._subroutine(function)]
        yield from ['', f'end module {self.space}']

    def quoted(self, text: str) -> str:
        """Return a string expression of UTF-8 bytes, with // and a line break where it is long."""
        pieces = re.findall(rb'[ -~]{1,60}|[^ -~]', text.encode()) or [b'']
        return packed([f'char({piece[0]})' if piece and not 32 <= piece[0] < 127
                       else "'" + piece.decode().replace("'", "''") + "'" for piece in pieces],
                      '', '        ', '', ' //', ' &')

    def _subroutine(self, function: Function) -> Iterator[str]:
        used, results = self.inputs(function), self.shaped(function)
        yield from self.comments([f'Returns {function.summary}.', *self.described(function)])
        yield self.array(f'pure subroutine {function.name}(',
                         [x for x, _ in used] + function.result_names, ')')
        inputs = [f'{x}({self.size(x)})' for x, _ in used]
        for kind, names in (('real(dp), intent(in)', inputs), ('real(dp), intent(out)', results),
                            ('real(dp)', list(map(self.spelled, self.local_names(function))))):
            first = f'{self.INDENT}{kind} :: '
            yield from (line.rstrip(',') for line in packed(names, first, first, '').splitlines()
                        if names)
        yield ''
        yield from (f'    if (size({x}) < 0) return   ! {x} has no influence'
                    for x, entries in used if not entries)
        yield from [*self.unpacked(function), *self.body(function), '']
        for result in function.results:
            yield from self.assigned(result)
            if 0 in result.shape:
                yield f'    {result.name} = 0.0_dp   ! has no entries'
        yield f'end subroutine {function.name}'
