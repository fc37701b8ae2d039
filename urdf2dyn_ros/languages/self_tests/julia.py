"""The part of an exported Julia file that checks it."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.program.function import Function


class JuliaSelfTest(Language):
    """Functions that compare and print, called where the file is run."""

    TABLE, ROW = ('const {name} = [', ']'), ('Float64[', '],')
    SCALE = ('const {name} = Float64[', ']')
    KEYS = ('const @axis_names = String[', '"', ']', '@axis_names')
    TEST = 'julia {name}_dynamics.jl'

    @property
    def space(self) -> str:
        """Robot2rDynamics for robot_2r: no keyword begins with a capital."""
        words = self.program.name.split('_')
        return ''.join(word[:1].upper() + word[1:] for word in words) + 'Dynamics'

    def shown(self, function: Function) -> Iterator[str]:
        arguments = [f'reference_{x.name}[1]' for x in function.inputs]
        yield self.array(f'    found = {function.name}(', arguments, ')')
        yield f'    println("{function.name} in the first reference state:")'
        for i, result in enumerate(function.results, 1):
            if result not in self.vectors:
                continue
            value = 'found' if len(function.results) == 1 else f'found[{i}]'
            if self.many(function):
                yield f'    println("{result.name}")'
            yield self.array(f'    for (name, entry, unit) in zip({self.row_names(result)}, '
                             f'{value}, [', self.units(result), '])')
            yield '        println(rpad(name, 24), " ", round(entry, sigdigits=9), " ", unit)'
            yield '    end'

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        arguments = [f'reference_{x.name}[k]' for x in function.inputs]
        left = 'found' if self.many(function) else ', '.join(function.result_names)
        yield self.array(f'        {left} = {function.name}(', arguments, ')')
        for i, (result, known) in enumerate(zip(function.results, expected), 1):
            value = f'found[{i}]' if self.many(function) else result.name
            if result.is_matrix:
                value = f'{value} * reference_{result.quantity.times}[k]'
            said = [f'"{self.title(function, result)}"', *self.names(result), value, f'{known}[k]',
                    *self.scale_of(known)]
            yield self.array('        append!(wrong, differences(', said, '))')

    DIFFERS = """
function differences(name, names, found, expected)
    return ["$name, $joint: $a instead of $b"
            for (joint, a, b) in zip(names, found, expected)
            if !(abs(a - b) <= 1e-9 * max(1.0, abs(b)))]
end"""
    SCALED: ClassVar[dict[str, str]] = {
        'expected)\n    ret': 'expected, scales)\n    ret', 'a, b) in': 'a, b, scale) in',
        'expected)\n            if': 'expected, scales)\n            if', 'max(1.0,': 'max(scale,'}
    ALIKE: ClassVar[dict[str, str]] = {'(name, names, ': '(name, ', 'zip(': 'zip(joint_'}
    MAIN = """
function self_test()
    wrong = String[]
    for k in eachindex(reference_q)"""
    VERDICT = """\
    end
    return wrong
end

function changed_parameters()
@changed
    return changed
end

function show_results()
@shown
end

end

if abspath(PROGRAM_FILE) == @__FILE__
    @space.show_results()
    changed = @space.changed_parameters()
    wrong = isempty(changed) ? @space.self_test() : String[]
    if isempty(changed)
        println(isempty(wrong) ? "agrees with the reference" : "differs from the reference")
    end
    for name in changed
        println("parameter ", name, " was changed: the reference values do not apply")
    end
    foreach(line -> println("    ", line), wrong)
    exit(isempty(wrong) ? 0 : 1)
end"""
    PARAMETER = '("{name}", {name}, {value})'
    CHANGED = """\
    changed = String[name for (name, value, exported) in [
        @parameters
    ] if value != exported]
"""

    def changed(self, parameters: Sequence[tuple[str, str]]) -> Iterator[str]:
        yield from super().changed(parameters) if parameters else ['    changed = String[]']
