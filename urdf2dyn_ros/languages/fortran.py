"""Fortran 2008, free form: a module, and a program that checks it."""

import re
from collections.abc import Iterator, Sequence

from urdf2dyn_ros.languages.infix import Infix, shortest
from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.lines import packed
from urdf2dyn_ros.program.program import Function, Program


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: a module and its check, which has a main program."""
    fortran = Fortran(program)
    return {f'{program.name}_dynamics.f90': '\n'.join(fortran.module()) + '\n',
            f'{program.name}_self_test.f90': '\n'.join(fortran.main_program()) + '\n'}


class Fortran(Language):
    """A module of subroutines, and a program."""

    COMMENT = '! '
    STATEMENT = LONG = '{name} = {value}'
    DECLARE, END, CONTINUED = 'real(dp), parameter :: ', '', ' &'
    CONSTANT = DECLARE + '{name} = {value}'
    ENTRY, CELL, FIRST = '{name}({k})', '{name}({k}, {j})', 1
    CASELESS, RESERVED = True, ('dp', 'joints', 'joint_names', 'sin', 'cos', 'exp', 'tanh', 'abs')
    INFIX = Infix(number=lambda value: shortest(value) + '_dp')
    TABLE, ROW = ('    real(dp) :: {name}({size}, states)', ''), ('data @table(:, @k) / ', ' /')
    COUNT, EMPTY = 'joints', '0*0.0_dp'
    KEYS = ('    character(len=*), parameter :: @axis_names(*) = [character(len=63) :: ', "'", ']',
            '@axis_names')
    TEST = ('gfortran -O2 {name}_dynamics.f90 {name}_self_test.f90 -o self_test '
            '&& ./self_test')

    @property
    def space(self) -> str:
        """The name of the module, which no function has."""
        name = f'{self.program.name}_dynamics'
        functions = [function.name for function in self.program.functions]
        return name + '_module' * (name.lower() in functions)

    def module(self) -> Iterator[str]:
        """Yield the lines of the module."""
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
        yield from [*self.parameters(used), *self.derived(used, '', self.CONSTANT),
                    '', 'contains']
        for function in functions:
            yield from ['', *self._subroutine(function)]
        yield from ['', f'end module {self.space}']

    def quoted(self, text: str) -> str:
        """Return a string expression of UTF-8 bytes, with // and a line break where it is long."""
        pieces = re.findall(rb'[ -~]{1,60}|[^ -~]', text.encode()) or [b'']
        return packed([f'char({piece[0]})' if piece and not 32 <= piece[0] < 127
                       else "'" + piece.decode().replace("'", "''") + "'" for piece in pieces],
                      '', '        ', '', ' //', ' &')

    def array(self, first: str, entries: Sequence[str], last: str) -> str:
        return packed(entries, first, ' ' * len(first), last, continued=self.CONTINUED
                      ) if entries else first + last

    def _shaped(self, function: Function) -> list[str]:
        """Return the results of a function with their shapes."""
        return [f'{result.name}({", ".join(self.shape(result))})' for result in function.results]

    def _subroutine(self, function: Function) -> Iterator[str]:
        used, results = self.inputs(function), self._shaped(function)
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
            if not result.rows:
                yield f'    {result.name} = 0.0_dp   ! has no entries'
        yield f'end subroutine {function.name}'

    def main_program(self) -> Iterator[str]:
        """Yield the lines of the check."""
        name = f'{self.program.name}_self_test'
        yield from [f'! Compares {self.space} with reference values.', f'program {name}',
                    f'    use {self.space}', '    implicit none',
                    f'    integer, parameter :: states = {len(self.program.references)}',
                    *self.self_test(), f'end program {name}']

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        arguments = [f'reference_{x.name}(:, k)' for x in function.inputs]
        yield from ['        block', self.array('            real(dp) :: ',
                                                self._shaped(function), ''),
                    self.array(f'            call {function.name}(',
                               arguments + function.result_names, ')')]
        for result, known in zip(function.results, expected):
            value = (f'matmul({result.name}, reference_{result.quantity.times}(:, k))'
                     if result.is_matrix else result.name)
            yield self.array('            call compare(', [
                f"'{self.title(function, result)}'", self.row_names(result), value,
                f'{known}(:, k)'], ')')
        yield '        end block'

    MAIN = """
    integer :: k, wrong

    wrong = 0
    do k = 1, states"""
    VERDICT = """\
    end do
    if (wrong > 0) then
        print '(a)', 'differs from the reference'
        stop 1
    end if
    print '(a)', 'agrees with the reference'

contains

    subroutine compare(title, names, found, expected)
        character(len=*), intent(in) :: title, names(:)
        real(dp), intent(in) :: found(:), expected(:)
        integer :: i

        do i = 1, size(found)
            if (.not. abs(found(i) - expected(i)) <= 1e-9_dp * max(1.0_dp, abs(expected(i)))) then
                print '(4a, es24.16e3, a, es24.16e3)', title, ', ', trim(names(i)), ':', &
                    found(i), ' instead of ', expected(i)
                wrong = wrong + 1
            end if
        end do
    end subroutine compare
"""
