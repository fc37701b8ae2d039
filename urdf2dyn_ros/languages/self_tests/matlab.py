"""The part of an exported MATLAB script that checks the functions."""

from collections.abc import Iterator, Sequence

from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.lines import packed
from urdf2dyn_ros.program.function import Function


class MatlabSelfTest(Language):
    """The end of the script."""

    TABLE, ROW, EMPTY = ('{name} = [', '];'), ('', ';'), 'zeros(1, 0)'
    SCALE = ('{name} = [', "].';")
    KEYS = ('@axis_names = {', "'", '};', '@axis_names')
    TEST = 'octave {name}_main.m, or {name}_main in MATLAB'

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

    def own_parameters(self, function: Function) -> Iterator[str]:
        """Yield what returns the parameters of a function that is called without arguments."""
        names = [name for name, _ in self.exported_parameters([function])]
        if names:
            yield from ['    if nargin == 0   % for the check, which reports changed parameters']
            yield self.array(f'        {function.result_names[0]} = [', names, '];')
            yield from ['        return', '    end']

    def changed(self, parameters: Sequence[tuple[str, str]]) -> Iterator[str]:
        for function in self.program.functions:
            own = self.exported_parameters([function])
            if own:
                yield self.array('parameters = {', [f"'{name}'" for name, _ in own], '};')
                yield self.array('exported = [', [value for _, value in own], '];')
                yield from self.filled(self.CHANGED.replace('@function', function.name))

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        arguments = [f"reference_{x.name}(k, :).'" for x in function.inputs]
        yield self.call('    ', function, arguments, ');')
        for result, known in zip(function.results, expected):
            names, value = self.row_names(result), result.name
            if result.is_matrix:
                value += f" * reference_{result.quantity.times}(k, :).'"
            scale, = self.scale_of(known) or ['1']
            yield f"    found = {value}; expected = {known}(k, :).';"
            yield ('    for i = find(~(abs(found - expected) <= '
                   f"1e-9 * max({scale}, abs(expected)))).'")
            title = self.title(function, result)
            yield f"        fprintf('{title}, %s: %.17g instead of %.17g\\n', ..."
            yield f'                {names}{{i}}, found(i), expected(i));'
            yield '        wrong = wrong + 1;'
            yield '    end'

    MAIN = """
wrong = 0; states = size(reference_q, 1);
@changed
for k = 1:states"""
    VERDICT = """\
end
if wrong > 0
    error('differs from the reference');
elseif states > 0
    disp('agrees with the reference');
end"""
    CHANGED = """\
for i = find(@name_@function() ~= exported)
    fprintf(['parameter %s of @function was changed: ' ...
             'the reference values do not apply\\n'], parameters{i});
    states = 0;
end
"""
