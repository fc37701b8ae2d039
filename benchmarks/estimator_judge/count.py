"""
Count the lines and the constants of the estimator.

    python benchmarks/estimator_judge/count.py

Lines of everything between the fields of a JointState and (q, qd, qdd, std) of all publishers.
Constants: names in capitals of modules with a number, and literals other than 0, 1, 2 and 0.5.
"""

import ast
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / 'urdf2dyn_ros' / 'estimation'
FILES = ('messages.py', 'groups.py', 'estimators.py', 'estimator.py', 'bank.py',
         'clock.py', 'hindsight.py', 'velocities.py', 'compiled.py', 'estimator.c')
USUAL = {0, 1, 2, 0.5}


def numbers(node: ast.AST) -> list[float]:
    """Return the literals of a tree that are not usual."""
    return [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)
            and type(each.value) in (int, float) and each.value not in USUAL]


def constants(text: str) -> tuple[list[str], list[float]]:
    """Return the names of numbers of a module, and the other literals."""
    names, literals = [], []
    for statement in ast.parse(text).body:
        if (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
                and statement.targets[0].id.lstrip('_').isupper()):
            if any(isinstance(each, ast.Constant) and type(each.value) in (int, float)
                   for each in ast.walk(statement.value)):
                names.append(statement.targets[0].id)
        else:
            literals += numbers(statement)
    return names, literals


def main() -> None:
    """Print the table."""
    total = [0, 0, 0]
    for name in FILES:
        text = (FOLDER / name).read_text()
        if name.endswith('.py'):
            names, literals = constants(text)
        else:   # its constants are those of the modules
            code = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
            names, literals = [], [float(each) for each in re.findall(
                r'(?<![\w.])\d+(?:\.\d*)?(?:e-?\d+)?(?![\w.])', code) if float(each) not in USUAL]
        row = [len(text.splitlines()), len(names), len(literals)]
        total = [a + b for a, b in zip(total, row)]
        print(f'{name:16}{row[0]:6} lines{row[1]:4} names{row[2]:4} literals   '
              + ' '.join([*names, *(f'{each:g}' for each in literals)]))
    print(f'{"all":16}{total[0]:6} lines{total[1]:4} names{total[2]:4} literals')


if __name__ == '__main__':
    main()
