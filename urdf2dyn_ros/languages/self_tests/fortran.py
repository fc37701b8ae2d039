"""The program that checks a Fortran module: a file of its own."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.program.function import Function


class FortranSelfTest(Language):
    """A main program, which uses the module."""

    TABLE, ROW = ('    real(dp) :: {name}({size}, states)', ''), ('data @table(:, @k) / ', ' /')
    SCALE = ('    real(dp), parameter :: {name}({size}) = [real(dp) :: ', ']')
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

    def shaped(self, function: Function) -> list[str]:
        """Return the results of a function with their shapes."""
        return [f'{result.name}({", ".join(self.shape(result))})' for result in function.results]

    def main_program(self) -> Iterator[str]:
        """Yield the lines of the check."""
        name = f'{self.program.name}_self_test'
        yield from [f'! Compares {self.space} with reference values.', f'program {name}',
                    f'    use {self.space}', '    implicit none',
                    f'    integer, parameter :: states = {len(self.program.references)}',
                    *self.self_test(),
                    *self.filled(self.SHOW * bool(self.vectors)), f'end program {name}']

    def module_parameters(self) -> Iterator[str]:
        """Yield the lists of parameters by which the check reports those that were changed."""
        names = [name for name, _ in self.exported_parameters()]
        if names:
            yield from ['', '! For the check, which reports changed parameters',
                        'character(len=*), parameter, public :: parameter_names(*) = '
                        f'[character(len={max(map(len, names))}) :: &',
                        self.array(self.INDENT, [f"'{name}'" for name in names], ']')]
            yield self.array('real(dp), parameter, public :: parameter_values(*) = [', names, ']')

    def shown(self, function: Function) -> Iterator[str]:
        arguments = [f'reference_{x.name}(:, 1)' for x in function.inputs]
        yield from ['    block', self.array('        real(dp) :: ', self.shaped(function), ''),
                    self.array(f'        call {function.name}(',
                               arguments + function.result_names, ')')]
        yield f"        print '(a)', '{function.name} in the first reference state:'"
        for result in self.vectors:
            if self.many(function):
                yield f"        print '(a)', '{result.name}'"
            units = [f"'{row.unit:8}'" for row in result.rows]
            yield self.array(f'        call show({self.row_names(result)}, {result.name}, [',
                             units, '])')
        yield '    end block'

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        arguments = [f'reference_{x.name}(:, k)' for x in function.inputs]
        yield from ['        block', self.array('            real(dp) :: ',
                                                self.shaped(function), ''),
                    self.array(f'            call {function.name}(',
                               arguments + function.result_names, ')')]
        for result, known in zip(function.results, expected):
            value = (f'matmul({result.name}, reference_{result.quantity.times}(:, k))'
                     if result.is_matrix else result.name)
            yield self.array('            call compare(', [
                f"'{self.title(function, result)}'", self.row_names(result), value,
                f'{known}(:, k)', *self.scale_of(known)], ')')
        yield '        end block'

    MAIN = """
    integer :: k, wrong

    wrong = 0
@shown
@changed
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
    SCALED: ClassVar[dict[str, str]] = {
        'expected)\n        char': 'expected, scale)\n        char',
        'expected(:)\n': 'expected(:), scale(:)\n', 'if (.not. abs': 'if (.not. &\n'
                                                                '                    abs',
        'max(1.0_dp,': 'max(scale(i),'}
    SHOW = """
    subroutine show(names, entries, units)
        character(len=*), intent(in) :: names(:), units(:)
        real(dp), intent(in) :: entries(:)
        integer :: i

        do i = 1, size(entries)
            print '(2a, g0.9, 2a)', names(i), ' ', entries(i), ' ', trim(units(i))
        end do
    end subroutine show
"""
    PARAMETER = '{value}'
    CHANGED = """\
    block
        real(dp), parameter :: exported(*) = [ &
            @parameters]
        logical :: changed(size(exported))

        changed = abs(parameter_values - exported) > 0.0_dp
        do k = 1, size(exported)
            if (changed(k)) print '(3a)', 'parameter ', trim(parameter_names(k)), &
                ' was changed: the reference values do not apply'
        end do
        if (any(changed)) stop
    end block
"""
