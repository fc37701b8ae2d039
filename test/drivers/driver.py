import sys

import numpy as np

import @name_dynamics as robot


def show(result):
    for vector in result if isinstance(result, tuple) else (result,):
        print(*np.ravel(vector).tolist(), sep='\n')


print('====')
for name in robot.JOINT_NAMES:
    print(*name.encode())
for state in np.array(sys.stdin.read().split(), float).reshape(-1, @width).tolist():
    @calls
