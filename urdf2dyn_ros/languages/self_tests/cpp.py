"""The part of an exported C++ header that checks it."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.precision.precision import SINGLE
from urdf2dyn_ros.languages.spelling import CPP
from urdf2dyn_ros.program.function import Function


class CppSelfTest(Language):
    """A main program, compiled where a macro is defined."""

    TABLE, ROW = ('static const {size} {name}[] = {{', '};'), ('{', '},')
    SCALE = ('static const {size} {name} = {{', '}};')
    JOINTS = '@space::joint_names'
    KEYS = ('static const char *const @axis_names[] = {', '"', '};', '@axis_names')
    TEST = ('c++ -std=c++17 -x c++ -D{NAME}_SELF_TEST {name}_dynamics.hpp -o self_test '
            '&& ./self_test')

    @property
    def space(self) -> str:
        """The namespace: the robot's name, unless that means something in C++."""
        return self.program.name + '_dynamics' * (self.program.name in CPP)

    def size(self, name: str) -> str:
        """Return the type of the numbers of an input or of an axis in the check."""
        return self.vector_type(name, self.real) if name in self.sizes else 'Row'

    def vector_type(self, name: str, scalar: str = 'Scalar') -> str:
        """Return the type of a vector: an input, or the entries along an axis."""
        return (f'std::array<{scalar}, {self.sizes[name]}>' if name in self.sizes
                else f'Vector<{scalar}>')

    def shown(self, function: Function) -> Iterator[str]:
        yield self.array(f'    {{   const auto found = {self.space}::{function.name}(',
                         [f'reference_{x.name}[0]' for x in function.inputs], ');')
        yield f'        std::puts("{function.name} in the first reference state:");'
        for result in self.vectors:
            value = 'found' if len(function.results) == 1 else f'found.{result.name}'
            entry = f'{value}[i]'
            if self.program.precision == SINGLE:
                entry = f'static_cast<double>({entry})'
            if self.many(function):
                yield f'        std::puts("{result.name}");'
            yield self.array(f'        static const char *const units_{result.name}[] = {{',
                             self.units(result), '};')
            yield from [
                f'        for (std::size_t i = 0; i < {value}.size(); i++) {{',
                f'            std::printf("%-24s %.9g %s\\n", '
                f'{self.filled(self.row_names(result))[0]}[i],',
                f'                        {entry}, units_{result.name}[i]);', '        }']
        yield '    }'

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        yield self.array(f'        {{   const auto found = {self.space}::{function.name}(',
                         [f'reference_{x.name}[k]' for x in function.inputs], ');')
        for result, known in zip(function.results, expected):
            value = 'found' if len(function.results) == 1 else f'found.{result.name}'
            if result.is_matrix:
                value = f'times({value}, reference_{result.quantity.times}[k])'
            yield self.array('            wrong += differs(', [
                f'"{self.title(function, result)}"', *self.names(result), value, f'{known}[k]',
                *self.scale_of(known)], ');')
        yield '        }'

    DIFFERS = """
template <typename Names, typename Entries>
static int differs(const char *function, const Names &names, const Entries &found,
                   const Entries &expected)
{
    int wrong = 0;
    for (std::size_t i = 0; i < found.size(); i++) {
        if (!(std::abs(found[i] - expected[i]) <= 1e-9 * std::fmax(1.0, std::abs(expected[i])))) {
            std::printf("%s, %s: %.17g instead of %.17g\\n", function,
                        names[i], found[i], expected[i]);
            wrong = 1;
        }
    }
    return wrong;
}
"""
    SCALED: ClassVar[dict[str, str]] = {
        'Entries &expected)': 'Entries &expected, const Entries &scale)',
        'fmax(1.0, std::abs(expected[i])))) {': 'fmax(scale[i],\n'
                                                '                                  '
                                                '                 std::abs(expected[i])))) {'}
    ALIKE: ClassVar[dict[str, str]] = {
        'template <typename Names, typename Entries>\n': '', ' const Names &names,': '',
        ' const Entries &found,\n                  ': ' const Row &found,', 'Entries': 'Row',
        'names[i]': '@space::joint_names[i]'}
    TIMES = """
template <typename Matrix, typename Entries>
static std::array<@real, std::tuple_size<Matrix>::value> times(const Matrix &M, const Entries &x)
{
    std::array<@real, std::tuple_size<Matrix>::value> product{};
    for (std::size_t i = 0; i < M.size(); i++) {
        for (std::size_t j = 0; j < x.size(); j++) {
            product[i] += M[i][j] * x[j];
        }
    }
    return product;
}
"""
    MAIN = """
int main()
{
    int wrong = 0;
@shown
@changed
    for (std::size_t k = 0; k < sizeof reference_q / sizeof reference_q[0]; k++) {"""
    VERDICT = """\
    }
    std::puts(wrong ? "differs from the reference" : "agrees with the reference");
    return wrong ? 1 : 0;
}
"""
    PARAMETER = '{{"{name}", @space::parameters::{name}, {value}}}'
    CHANGED = """\
    const struct { const char *name; @real value, exported; } parameters[] = {
        @parameters
    };
    bool changed = false;
    for (const auto &parameter : parameters) {
        if (parameter.value != parameter.exported) {
            std::printf("parameter %s was changed: the reference values do not apply\\n",
                        parameter.name);
            changed = true;
        }
    }
    if (changed) {
        return 0;
    }
"""
