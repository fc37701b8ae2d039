"""A driver for Julia, without one."""

import sys
from typing import Any

import numpy as np

from support.julia_text import JuliaText


def show(results: list[Any]) -> None:
    """Print results, a number a line."""
    for result in results:
        print(*np.ravel(result).tolist(), sep='\n')


with open('@name_dynamics.jl') as file:
    robot = JuliaText(file.read())
print('====')
for name in robot.joint_names:
    print(*name.encode())
for state in np.array(sys.stdin.read().split(), float).reshape(-1, @width).tolist():
    @calls
