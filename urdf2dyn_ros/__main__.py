"""The command urdf2dyn as ``python -m urdf2dyn_ros``."""

from urdf2dyn_ros.cli import run_as_process

if __name__ == '__main__':
    run_as_process()
