"""CasADi, JAX and PyTorch: the same efforts, in batches, with loads, and their derivatives."""

import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import casadi
import jax
import numpy as np
import pytest

from support.acting_loads import everything
from support.mechanisms import mechanism
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import InverseDynamics, MissingLibraryError, Target, export_model, read_urdf
from urdf2dyn_ros.codegen.languages import CALLABLE
from urdf2dyn_ros.errors import ExportError

jax.config.update('jax_enable_x64', True)
NAMES = ('ur5_robot', 'panda', 'anymal', 'talos_reduced')
ROBOTS = [*NAMES[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[2:])]
COUNT = 100   # states
PAYLOAD = np.array([0.7, 0.03, -0.02, 0.06, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003])


@cache
def plain(name: str) -> InverseDynamics:
    """The robot alone, with a fixed base."""
    return InverseDynamics(read_urdf(robot_path(name).read_bytes()), base='fixed',
                           backend='python')


@cache
def loaded(name: str) -> InverseDynamics:
    """The robot with friction, rotors and springs, a payload and wrenches on links."""
    model = plain(name).model
    return InverseDynamics(model, base='fixed', loads=everything(model), backend='python')


def states(dynamics: InverseDynamics) -> list[np.ndarray]:
    return [*np.random.default_rng(2).uniform(-1.5, 1.5, (3, COUNT, dynamics.n))]


def arguments(dynamics: InverseDynamics) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
    """Return what functions take behind q, qd and qdd, and the same for a call of the class."""
    rng = np.random.default_rng(5)
    wrenches = rng.uniform(-9.0, 9.0, (COUNT, len(dynamics.loads.external), 6))
    payloads = np.tile(PAYLOAD, (COUNT, 1))
    return ([wrenches.reshape(COUNT, -1), payloads],
            {'external': dict(zip(dynamics.loads.external, np.moveaxis(wrenches, 1, 0))),
             'payload': PAYLOAD})


def close(found: np.ndarray, expected: np.ndarray) -> bool:
    return bool(np.abs(found - expected).max() < 1e-12 * max(1.0, np.abs(expected).max()))


# ---- Efforts of the equations in Python


@pytest.mark.parametrize('name', ROBOTS)
def test_casadi_has_the_efforts_of_python(name: str) -> None:
    dynamics = plain(name)
    motion = states(dynamics)
    symbols = [casadi.SX.sym(what, dynamics.n) for what in ('q', 'qd', 'qdd')]
    function = casadi.Function('tau', symbols, [dynamics.function('casadi')(*symbols)])
    found = np.array(function(*(each.T for each in motion))).T
    assert close(found, dynamics(*motion))


@pytest.mark.parametrize('name', ROBOTS)
def test_jax_has_the_efforts_of_python(name: str) -> None:
    dynamics = plain(name)
    motion = states(dynamics)
    function = dynamics.function('jax')
    assert close(np.asarray(function(*motion)), dynamics(*motion))   # as they are, in one batch
    one = jax.jit(function)(*(each[0] for each in motion))
    assert one.shape == (dynamics.n,) and close(np.asarray(one), dynamics(*motion)[0])


@pytest.mark.parametrize('name', ROBOTS)
def test_friction_payload_and_wrenches_act_as_in_python(name: str) -> None:
    dynamics = loaded(name)
    motion, (given, named) = states(dynamics), arguments(dynamics)
    expected = dynamics(*motion, **named)
    assert close(np.asarray(dynamics.function('jax')(*motion, *given)), expected)
    found = dynamics.function('casadi')(
        *(casadi.DM(each[0]) for each in (*motion, *given)))
    assert close(np.array(found).ravel(), expected[0])


@pytest.mark.parametrize('name', NAMES[:2])
def test_matrices_and_other_functions_have_their_shapes(name: str) -> None:
    dynamics = plain(name)
    q, qd, tau = states(dynamics)
    M = dynamics.mass_matrix(q)
    assert close(np.asarray(dynamics.function('jax', 'mass_matrix')(q)), M)
    assert close(np.array(dynamics.function('casadi', 'mass_matrix')(casadi.DM(q[0]))), M[0])
    accelerations = dynamics.forward_dynamics(q, qd, tau)
    found = np.asarray(dynamics.function('jax', 'forward_dynamics')(q, qd, tau))
    assert np.abs(found - accelerations).max() < 1e-10 * np.abs(accelerations).max()


# ---- Derivatives


@pytest.mark.parametrize('name', ROBOTS)
def test_jacobians_of_casadi_are_the_exported_derivatives(name: str) -> None:
    dynamics = plain(name)
    motion = [each[0] for each in states(dynamics)]
    symbols = [casadi.SX.sym(what, dynamics.n) for what in ('q', 'qd', 'qdd')]
    tau = dynamics.function('casadi')(*symbols)
    function = casadi.Function('J', symbols, [casadi.jacobian(tau, each) for each in symbols])
    for found, expected in zip(function(*motion), dynamics.derivatives(*motion)[1:]):
        size = max(1.0, np.abs(expected).max())
        assert np.abs(np.array(found) - expected).max() < 1e-10 * size


@pytest.mark.slow
def test_a_payload_is_fitted_by_its_derivatives() -> None:
    model = read_urdf(robot_path('ur5_robot').read_bytes())
    dynamics = InverseDynamics(model, loads=everything(model, links=()), backend='python')
    motion = states(dynamics)
    measured = dynamics(*motion, payload=PAYLOAD)
    function = dynamics.function('jax')

    @jax.jit
    def residual(payload: jax.Array) -> jax.Array:
        given = jax.numpy.broadcast_to(payload, (COUNT, 10))
        return (function(*motion, given) - measured).ravel()

    by_payload = jax.jacfwd(residual)
    payload = jax.numpy.array([1.0, *[0.0] * 9])
    for _ in range(8):   # Gauss and Newton
        payload -= np.linalg.lstsq(by_payload(payload), residual(payload), rcond=None)[0]
    assert np.abs(payload - PAYLOAD).max() < 1e-6


def test_a_motion_is_planned_by_ipopt() -> None:
    """A swing of a two-link arm between rests, with the least effort, is one that moves it."""
    dynamics = InverseDynamics(OWN / 'robot_2r.urdf', backend='python')
    inverse_dynamics = dynamics.function('casadi')
    steps, h = 20, 0.05
    opti = casadi.Opti()
    q, qd, qdd = (opti.variable(dynamics.n, steps + extra) for extra in (1, 1, 0))
    symbols = [casadi.SX.sym(what, dynamics.n) for what in ('q', 'qd', 'qdd')]
    efforts = casadi.Function('tau', symbols, [inverse_dynamics(*symbols)])
    tau = efforts(q[:, :-1], qd[:, :-1], qdd)
    opti.minimize(casadi.sumsqr(tau))
    opti.subject_to(qd[:, 1:] == qd[:, :-1] + h * qdd)
    opti.subject_to(q[:, 1:] == q[:, :-1] + h * qd[:, 1:])
    goal = np.array([0.8, -0.5])
    for value, at_start, at_end in ((q, np.zeros(2), goal), (qd, np.zeros(2), np.zeros(2))):
        opti.subject_to(value[:, 0] == at_start)
        opti.subject_to(value[:, -1] == at_end)
    opti.solver('ipopt', {'print_time': False, 'ipopt.print_level': 0, 'ipopt.sb': 'yes'})
    plan = opti.solve()
    assert np.abs(plan.value(q)[:, -1] - goal).max() < 1e-8
    motion = (plan.value(q)[:, :-1].T, plan.value(qd)[:, :-1].T, plan.value(qdd).T)
    assert np.abs(plan.value(tau).T - dynamics(*motion)).max() < 1e-9


# ---- Files, and what is refused


@pytest.mark.parametrize('style', [
    'fast', pytest.param('readable', marks=pytest.mark.slow)])
@pytest.mark.parametrize('language', CALLABLE)
def test_a_file_checks_itself_with_its_library(language: str, style: str, tmp_path: Path) -> None:
    if find_spec(language) is None:
        pytest.skip(f'{language} is not installed: it needs gigabytes, and is tried by hand')
    model = plain('panda').model
    files = export_model(model, language, style, functions='all', loads=everything(model))
    (name, text), = files.items()
    (tmp_path / name).write_text(text, encoding='utf-8')
    done = subprocess.run([sys.executable, name], cwd=tmp_path, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0 and 'agrees with the reference' in done.stdout, done.stderr
    # a wrong number is found
    changed = tmp_path / f'changed_{name}'
    changed.write_text(text.replace('9.81', '9.5'), encoding='utf-8')
    done = subprocess.run([sys.executable, changed.name], cwd=tmp_path, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 1


def test_what_cannot_be_called_is_refused() -> None:
    dynamics = plain('ur5_robot')
    with pytest.raises(ExportError, match='cannot be called here: choose one of casadi, jax'):
        dynamics.function('rust')
    with pytest.raises(ExportError, match='inertia'):
        dynamics.function('jax', 'inertia')
    with pytest.raises(ExportError, match='do not close loops'):
        export_model(read_urdf(mechanism('five_bar')), 'casadi')
    with pytest.raises(ExportError, match='precision of the arrays'):
        export_model(dynamics.model, Target('jax', 'float'))


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('urdf2dyn_ros.codegen.languages.arrays.find_spec', lambda name: None)
    with pytest.raises(MissingLibraryError, match='pip install casadi'):
        plain('ur5_robot').function('casadi')
