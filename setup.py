"""Build of urdf2dyn_ros, for pip and for colcon (ament_python)."""

from glob import glob
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

PACKAGE = 'urdf2dyn_ros'
HOME = 'https://a-seed-17898ced.example/urdf2dyn_ros'   # the host of the maintainers' address
VERSION = ElementTree.parse('package.xml').findtext('version')

PLOTS = ['matplotlib>=3.5']
ANALYSIS = [*PLOTS, 'scipy>=1.8']   # of evaluate, identify and excite
SYMBOLIC = ['sympy>=1.9']
RECORDINGS = ['rosbags>=0.11']
ALL = [*ANALYSIS, *SYMBOLIC, *RECORDINGS, 'argcomplete>=1.12', 'xacro']
ROS = [
    *ANALYSIS, 'ros-rclpy[fastrtps]>=7.1', 'ros-std-msgs', 'ros-sensor-msgs', 'ros-std-srvs',
    'ros-trajectory-msgs', 'ros-rosgraph-msgs', 'ros-diagnostic-msgs', 'ros-geometry-msgs',
    'ros-nav-msgs',
]
DEMO = [*ROS, *RECORDINGS, 'dartpy>=6.13', 'mujoco>=3.3']   # MuJoCo: where DART lacks libGL
MUJOCO = [*ROS, 'mujoco>=3.3']
CLUSTER = ['dask>=2023.1', 'distributed>=2023.1']
TEST = [
    *DEMO, *ALL, *CLUSTER, 'casadi', 'catkin-pkg', 'check-jsonschema', 'clarabel',
    'colcon-common-extensions', 'cvxpy', 'example-robot-data', 'hypothesis', 'jax', 'lxml-stubs',
    'mpmath', 'mypy', 'pandas', 'pin', 'pyarrow', 'pytest', 'pytest-cov', 'pytest-timeout',
    'pytest-xdist', 'ruff',
]
JAZZY = [   # what the tests of the nodes need, with the rclpy of that distribution
    *DEMO, *ALL, 'ros-rclpy==7.1.6', 'example-robot-data', 'hypothesis', 'pin', 'pytest',
    'pytest-timeout', 'pytest-xdist',
]
DOCS = [   # django-static-mathjax brings MathJax, without Django; ruff formats signatures
    *ROS, 'django-static-mathjax>=3.2', 'mkdocstrings-python>=2', 'ruff', 'zensical>=0.0.73',
]
BENCH = [
    *ALL, 'casadi', 'cmeel-eigen', 'dynibo', 'example-robot-data', 'pin', 'pytest',
]
ESTIMATOR = Path(PACKAGE, 'estimation', 'kalman.c')


class BuildLibrary(build_ext):
    """Build a library for ctypes: it is no module, and needs no headers of Python."""

    def run(self) -> None:
        # in a source tree the compiler cache is used, which follows changes of the source
        if not (self.inplace or getattr(self, 'editable_mode', False)):
            super().run()

    def get_ext_filename(self, fullname: str) -> str:
        return fullname.replace('.', '/') + '.so'


setup(
    name=PACKAGE,
    version=VERSION,
    description='Inverse dynamics of any robot from its URDF, online in ROS 2 and as a script',
    long_description=Path('README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    license='Apache-2.0',
    author='urdf2dyn_ros maintainers',
    author_email='maintainers@users.noreply.a-seed-17898ced.example',
    maintainer='urdf2dyn_ros maintainers',
    maintainer_email='maintainers@users.noreply.a-seed-17898ced.example',
    url=HOME,
    project_urls={'Source': HOME, 'Documentation': f'{HOME}/tree/main/docs',
                  'Changelog': f'{HOME}/blob/main/CHANGELOG.rst', 'Issues': f'{HOME}/issues'},
    keywords=['robotics', 'inverse dynamics', 'Newton-Euler', 'URDF', 'ROS 2', 'code generation'],
    classifiers=[
        'Development Status :: 4 - Beta',
        'Intended Audience :: Developers',
        'Intended Audience :: Science/Research',
        'Operating System :: POSIX :: Linux',
        'Programming Language :: C',
        'Programming Language :: Python :: 3',
        *(f'Programming Language :: Python :: 3.{minor}' for minor in range(10, 15)),
        'Topic :: Scientific/Engineering',
        'Topic :: Scientific/Engineering :: Physics',
        'Topic :: Software Development :: Code Generators',
        'Typing :: Typed',
    ],
    python_requires='>=3.10',
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    package_data={PACKAGE: ['py.typed', '*/*.c', '*/*/*.c', '*/*.h', 'page/*.html', 'page/*.css',
                            'page/*.js', 'codegen/controller/*', 'codegen/languages/self_test/*']},
    zip_safe=True,
    cmdclass={'build_ext': BuildLibrary},
    ext_modules=[Extension(   # options, name: estimation/compiled_kalman.py, too
        f'{PACKAGE}.estimation.libestimator', [str(ESTIMATOR)], optional=True, libraries=['m'],
        define_macros=[('VERSION', f'"{sha256(ESTIMATOR.read_bytes()).hexdigest()}"')],
        extra_compile_args=['-std=gnu99', '-O3', '-fno-fast-math', '-ffp-contract=off',
                            '-fno-math-errno', '-fno-trapping-math'])],
    install_requires=[
        'lxml>=4.8', 'numpy>=1.21', 'pyyaml>=5.4', 'threadpoolctl>=2', 'tqdm>=4.57',
        'urdfdom_py>=1.2',   # of the module urdf_parser_py
    ],
    extras_require={'plots': PLOTS, 'analysis': ANALYSIS, 'recordings': RECORDINGS,
                    'symbolic': SYMBOLIC, 'xacro': ['xacro'], 'all': ALL, 'cluster': CLUSTER,
                    'ros': ROS, 'demo': DEMO, 'mujoco': MUJOCO,
                    'test': TEST, 'jazzy': JAZZY, 'docs': DOCS, 'bench': BENCH},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (f'share/{PACKAGE}', ['package.xml']),
        (f'share/{PACKAGE}/config', sorted([*glob('config/*.yaml'), *glob('config/*.xml')])),
        (f'share/{PACKAGE}/foxglove', sorted(glob('foxglove/*.json'))),
        (f'share/{PACKAGE}/launch', sorted(glob('launch/*.launch.py'))),
        (f'share/{PACKAGE}/plotjuggler', sorted(glob('plotjuggler/*.xml'))),
        (f'share/{PACKAGE}/rviz', sorted(glob('rviz/*.rviz'))),
        (f'share/{PACKAGE}/urdf', sorted(glob('urdf/*.urdf'))),
    ],
    entry_points={'console_scripts': [
        f'urdf2dyn = {PACKAGE}.__main__:run_as_process',
        f'inverse_dynamics = {PACKAGE}.nodes:run_inverse_dynamics',
        f'inverse_dynamics_lifecycle = {PACKAGE}.nodes:run_inverse_dynamics_lifecycle',
        f'effort_comparison = {PACKAGE}.nodes:run_effort_comparison',
        f'joint_simulator = {PACKAGE}.nodes:run_joint_simulator',
    ]},
)
