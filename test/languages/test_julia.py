"""
What an exported Julia file prints and returns when it is run.

No Julia was available: `support.julia_text` evaluates the forms that the files have.

"""

import re
from functools import cache

import pytest

from support.julia_text import self_check
from support.robot_files import OWN
from urdf2dyn_ros import export_model, read_urdf

RX90 = read_urdf(OWN / 'rx90.urdf')
CASES = [('readable', 'inverse_dynamics', 6), ('fast', 'all', 6), ('readable', 'terms', 18),
         ('fast', 'forward_dynamics', 6), ('fast', 'regressor', 36),
         ('general', 'inverse_dynamics', 6), ('readable', 'forward_kinematics', 3)]


@cache
def exported(style: str, model: str) -> str:
    text, = export_model(RX90, 'julia', style, functions=model).values()
    return text


@pytest.mark.parametrize(('style', 'model', 'shown'), CASES)
def test_a_file_prints_results_and_agrees_with_its_reference(style: str, model: str,
                                                             shown: int) -> None:
    """Each result has a name, a number and a unit."""
    code, output = self_check(exported(style, model))
    head, *lines, verdict = output.splitlines()
    assert (code, verdict) == (0, 'agrees with the reference')
    assert head.endswith(' in the first reference state:')
    results = [line for line in lines if re.fullmatch(r'\S+ +\S+ \S.*', line)]
    assert len(results) == shown, output


@pytest.mark.parametrize(('style', 'model', '_'), CASES)
def test_a_wrong_reference_is_a_failure_that_is_named(style: str, model: str, _: int) -> None:
    text = exported(style, model)
    before, table, after = re.split(r'(const expected_.*?\n\])', text, maxsplit=1, flags=re.DOTALL)
    number = re.findall(r'-?\d+\.\d{6,}(?!.*e)', table)[0]
    code, output = self_check(before + table.replace(number, f'{float(number) + 1.0!r}') + after)
    assert code == 1
    assert '\ndiffers from the reference\n' in output
    assert re.search(r'^    \w+.*, \w+: -?[\d.e-]+ instead of ', output, re.MULTILINE)


def test_a_changed_parameter_is_named_and_no_failure() -> None:
    text = exported('readable', 'inverse_dynamics')
    code, output = self_check(re.sub(r'^const m2 = \S+', 'const m2 = 1.25', text,
                                     flags=re.MULTILINE))
    assert code == 0
    assert output.splitlines()[-1] == (
        'parameter m2 was changed: the reference values do not apply')
    assert 'agrees' not in output and 'differs' not in output
