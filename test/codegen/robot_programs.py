"""What languages may get wrong: a hand-made program with its values, and robots."""

import math
from functools import cache

from support.acting_loads import everything
from support.random_trees import robot
from urdf2dyn_ros.codegen.generator import LOADS, generate
from urdf2dyn_ros.codegen.program import (
    Block,
    Call,
    Function,
    JointRow,
    Name,
    Number,
    Operations,
    Paragraph,
    ParameterGroup,
    ParameterLine,
    Product,
    Program,
    Reciprocal,
    Reference,
    Result,
    Row,
    Section,
    Signed,
    Statement,
    Sum,
    Term,
)
from urdf2dyn_ros.codegen.signature import Input, Quantity, ResultKey
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody


def evaluated(term: Term, names: dict[str, float]) -> float:
    """Return a term's value, in the order that its text prescribes."""
    if isinstance(term, Number):
        return term.value
    if isinstance(term, Name):
        return names[term.text]
    if isinstance(term, Call):
        argument = evaluated(term.argument, names)
        function = abs if term.function == 'abs' else getattr(math, term.function)
        return float(function(-argument if term.negative else argument))
    if isinstance(term, Reciprocal):
        return 1.0 / evaluated(term.divisor, names)
    if isinstance(term, Product):
        return math.prod((evaluated(factor, names) for factor in term.factors), start=1.0)
    total = evaluated(term.terms[0][1], names)
    for negative, entry in term.terms[1:]:
        total += -evaluated(entry, names) if negative else evaluated(entry, names)
    return total


def opposite(value: Signed, names: dict[str, float]) -> float:
    """Return the value of a term with its sign."""
    return -evaluated(value.term, names) if value.negative else evaluated(value.term, names)


def _sum(*terms: Term, minus: str = '') -> Sum:
    """Return a sum; minus has a letter for each term, - or +."""
    return Sum(tuple(zip((sign == '-' for sign in minus or '+' * len(terms)), terms)))


def _product(*factors: Term) -> Product:
    return Product(factors)


_A, _B, _C, _M, _H = map(Name, ('q1', 'qd1', 'qdd2', 'm1', 'h1_x'))
_AWKWARD = (1e-308, 5e-324, 0.1, 1 / 3, 1e16, 1e22, 123456789012345680.0, 3.0, 1e-5, 1e15, 0.0,
            2.0**53, 1.7976931348623157e308)
_TREES: tuple[Term, ...] = (
    _sum(_A, _sum(_B, _C, minus='+-'), minus='+-'),
    _sum(_sum(_A, _B, minus='+-'), _sum(_C, _A), _product(_A, _B), minus='+--'),
    _product(_A, _product(_B, _C, _product(_A, _C)), _B),
    _product(_product(_A, _B), _sum(_A, _B, minus='+-'), _C),
    _product(_sum(_A, _B, minus='+-'), _A, _sum(_C, _product(_A, _A), minus='+-')),
    _sum(_product(_A, _sum(_B, _C)), _product(_B, _product(_C, _C)), minus='+-'),
    _product(Number(1e-308), _A, Number(1.7976931348623157e308)),
    _product(Number(5e-324), Number(1e300), _B),
    _sum(Number(1e16), _A, Number(1e16), minus='++-'),
    Call('sin', _sum(_A, _B, minus='+-')), Call('cos', Number(0.5)), Call('sin', Number(1e22)),
    Call('cos', _product(_A, _B)), Call('sin', Call('cos', _A)), Call('cos', Name('q1')),
    Call('exp', _A, True), Call('exp', Number(0.5), True), Call('exp', _product(_A, _B), True),
    Call('exp', _sum(_A, _B, minus='+-'), True), Call('exp', Name('q1')), Call('tanh', _A),
    Call('tanh', _sum(_A, _B, minus='+-')), Call('tanh', _product(_B, _C), True),
    Call('tanh', Call('exp', _A, True)), Call('exp', Call('tanh', Call('sin', _B)), True),
    Call('abs', _A), Call('abs', _sum(_A, _B, minus='+-')), Call('abs', _product(_B, _C)),
    _product(_A, Call('abs', Call('sin', _sum(_A, _B, minus='+-'))), Call('abs', _B)),
    Call('tanh', Number(1e22)), Call('sin', _A, True), Call('cos', _sum(_A, _B), True),
    _product(_B, Call('tanh', _A), _sum(_A, _product(_C, Call('exp', _product(_B, _B), True)))),
    _product(Call('sin', _A), Call('cos', _sum(_A, _product(_B, _C))), _A),
    _sum(*(_product(Number(0.1 * k), _A, _B) for k in range(1, 61)), minus='++-' * 20),
    _product(*(_sum(_A, Number(float(k))) for k in range(30))),
    _sum(*(Call('sin', _product(Number(k / 7), _C)) for k in range(1, 61)), minus='+-' * 30),
    Reciprocal(_A), Reciprocal(Number(3.0)), Reciprocal(_sum(_A, _B, minus='+-')),
    Reciprocal(_product(_A, _B)), Reciprocal(Reciprocal(_B)), Reciprocal(Call('exp', _A, True)),
    _product(Reciprocal(_A), _B, _C), _product(_A, Reciprocal(_B), Reciprocal(_C)),
    _product(_A, _product(Reciprocal(_B), _C)), Call('tanh', Reciprocal(_A), True),
    _sum(Reciprocal(_A), _product(_B, Reciprocal(_sum(_C, _A))), Reciprocal(_C), minus='+--'),
    Reciprocal(_sum(*(Reciprocal(_sum(_A, Number(float(k)))) for k in range(1, 31)))),
    _sum(_M, Name('m2'), Name('m3'), _product(Name('h2_yz'), _A), _H, minus='+-+-+'),
)
TERMS = tuple(Signed(negative, term) for term in (*map(Number, _AWKWARD), *_TREES)
              for negative in (False, True))
VALUES = {'m1': -0.1, 'm2': 1e22, 'm3': 5e-324, 'com1_x': -1 / 3}
CONSTANTS = (Statement('h1_x', Signed(True, _product(_M, Name('com1_x')))),
             Statement('h2_yz', Signed(True, _sum(_H, _product(_M, Number(1e-5)), minus='+-'))))
N = len(TERMS)


def expected(q: list[float], qd: list[float], qdd: list[float]) -> list[float]:
    names = {f'{x}{k}': value for x, values in (('q', q), ('qd', qd), ('qdd', qdd))
             for k, value in enumerate(values, 1)} | VALUES
    for statement in CONSTANTS:
        names[statement.name] = opposite(statement.value, names)
    return [opposite(value, names) for value in TERMS]


def torture() -> Program:
    """Return the program: a statement for every other term, the others where results are."""
    rows = tuple(JointRow(k, f'j{k}', f'l{k}', 'revolute', 'rad', 'N m', 'root', 'x y z', '', '')
                 for k in range(1, N + 1))
    statements = tuple(Statement(f't{k}', TERMS[k]) for k in range(1, N, 2))
    results = tuple(Row(f'j{k}', (Signed(k % 3 == 0, Name(f't{k}')) if k % 2 else value,),
                        f'{k}', 'N m')
                    for k, value in enumerate(TERMS))
    states = [tuple(tuple(math.sin(k * a + b + 1.0) for k in range(N)) for b in range(3))
              for a in (0.3, 0.7)]
    return Program(
        'Torture.', 'torture', 'torture', 'fast', (0.0, 0.0, -9.81), (), (), rows,
        tuple(range(1, N + 1)),
        (ParameterGroup('all', tuple(ParameterLine((name,), (value,), 'a parameter')
                                     for name, value in VALUES.items())),),
        (Block('two constants', CONSTANTS),),
        (Function('inverse_dynamics', 'the values of awkward terms', tuple(
            Input(x, tuple(f'{x}{k}' for k in range(1, N + 1)), '') for x in ('q', 'qd', 'qdd')),
                  (Result(Quantity('tau', 'efforts'), results,
                          ResultKey('inverse_dynamics', 'tau')),),
                  (Section('all', (Paragraph('all', (Block('all', statements),)),)),),
                  Operations(0, 0, 0)),),
        None, lambda: tuple(
            Reference(dict(zip(('q', 'qd', 'qdd'), state)),
                      {'inverse_dynamics': {'tau': tuple(given(*map(list, state)))}})
            for state in states))


def given(q: list[float], qd: list[float], qdd: list[float]) -> list[float]:
    """Return the results: every third odd one with the opposite sign."""
    return [-value if k % 2 and k % 3 == 0 else value
            for k, value in enumerate(expected(q, qd, qdd))]


def program_of(model: RobotModel, style: str = 'fast', functions: str = 'all',
               name: str = 'robot', loads: Loads = LOADS) -> Program:
    return generate(make_multibody(model), name=name, style=style, functions=functions,
                    loads=loads)


@cache
def robot_program(name: str, style: str = 'fast', functions: str = 'all') -> Program:
    """Return a robot's program, which every language takes as it is."""
    return program_of(robot(name), style, functions)


@cache
def loaded(name: str, base: str, style: str = 'fast', functions: str = 'inverse_dynamics',
           ) -> Program:
    """Return a robot's equations with all that can act: wrenches on the root and the last link."""
    model = robot(name)
    system = make_multibody(model)
    links = tuple(dict.fromkeys((system.root[0].link.name, [*system.links][-1])))
    return program_of(model, style, functions, loads=everything(
        model, base, links=links, load=0.4))
