"""
Model predictive control of a two-link arm by CasADi and IPOPT, with the exact equations.

    python examples/mpc_casadi.py

The arm hangs at rest. Its motors are too weak to lift it straight: the controller finds by itself
that it must swing. At every instant it plans the next second by `nlpsol`, applies the first
efforts, and plans again from the state that the arm then has.
"""

import sys

try:
    import numpy as np

    from urdf2dyn_ros import InverseDynamics, Urdf2DynError
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros ({error}); in a clone of it: pip install '.[all]'")

try:
    import casadi
except ImportError as error:
    sys.exit(f'this example needs casadi ({error}): pip install casadi')

URDF = """<robot name="two_links"><link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 -0.25"/><mass value="2"/>
<inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.01"/></inertial></link>
<link name="lower"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/>
<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
<origin xyz="0 0 -0.5"/><axis xyz="0 1 0"/></joint></robot>"""
STEP, HORIZON, INSTANTS = 0.05, 20, 60   # [s]
LARGEST = np.array([9.0, 4.0])   # effort [N m]; it takes 12 N m to hold the arm level
UPRIGHT = np.array([np.pi, 0.0, 0.0, 0.0])   # q, qd


def planner(dynamics: InverseDynamics) -> casadi.Function:
    """Return the solver of a plan: all states and efforts from now on, as one vector."""
    n, acceleration = dynamics.n, dynamics.function('casadi', 'forward_dynamics')
    x, u = casadi.SX.sym('x', 2 * n), casadi.SX.sym('u', n)
    rate = casadi.Function('rate', [x, u], [casadi.vertcat(x[n:], acceleration(x[:n], x[n:], u))])
    middle = x + 0.5 * STEP * rate(x, u)
    after = casadi.Function('after', [x, u], [x + STEP * rate(middle, u)])
    states = casadi.MX.sym('states', 2 * n, HORIZON + 1)
    efforts = casadi.MX.sym('efforts', n, HORIZON)
    now = casadi.MX.sym('now', 2 * n)
    away = states - casadi.repmat(casadi.DM(UPRIGHT), 1, HORIZON + 1)
    weights = casadi.DM([10.0, 10.0, 0.5, 0.5])
    cost = (casadi.sumsqr(casadi.sqrt(weights) * away)
            + 40.0 * casadi.sumsqr(casadi.sqrt(weights) * away[:, -1])
            + 0.02 * casadi.sumsqr(efforts))
    gaps = casadi.vertcat(states[:, 0] - now, casadi.vec(
        states[:, 1:] - after.map(HORIZON)(states[:, :-1], efforts)))
    return casadi.nlpsol('plan', 'ipopt', {
        'x': casadi.vertcat(casadi.vec(states), casadi.vec(efforts)), 'p': now, 'f': cost,
        'g': gaps}, {'print_time': False, 'ipopt.print_level': 0, 'ipopt.sb': 'yes',
                     'ipopt.max_iter': 200})


def main() -> None:
    dynamics = InverseDynamics(URDF)
    plan, n = planner(dynamics), dynamics.n
    size = 2 * n * (HORIZON + 1)
    bounds = np.concatenate([np.full(size, np.inf), np.tile(LARGEST, HORIZON)])
    guess, state, iterations = np.zeros(bounds.size), np.zeros(2 * n), []
    for _ in range(INSTANTS):
        found = plan(x0=guess, p=state, lbx=-bounds, ubx=bounds, lbg=0.0, ubg=0.0)
        iterations.append(plan.stats()['iter_count'])
        guess = np.array(found['x']).ravel()
        effort = guess[size:size + n]
        for _ in range(50):   # the arm itself, by 50 steps of 1 ms
            q, qd = state[:n], state[n:]
            qd = qd + 1e-3 * dynamics.forward_dynamics(q, qd, effort)
            state = np.concatenate([q + 1e-3 * qd, qd])
    away = np.abs(state[:n] - UPRIGHT[:n]).max()
    print(f'{INSTANTS} plans of {HORIZON} steps, {np.median(iterations):.0f} iterations of IPOPT '
          'each (median)')
    print(f'after {INSTANTS * STEP:g} s the arm is {away:.1g} rad from upright, with at most '
          f'{LARGEST[0]:g} and {LARGEST[1]:g} N m')


if __name__ == '__main__':
    try:
        main()
    except Urdf2DynError as error:
        sys.exit(f'{error}; usage: python examples/mpc_casadi.py')
