"""The reciprocal: on numbers and arrays, in the graph, and as an operation that is counted."""

import numpy as np
import pytest

from urdf2dyn_ros.codegen.expression import Expression, Graph
from urdf2dyn_ros.codegen.statements import Schedule
from urdf2dyn_ros.robot.spatial import reciprocal


def written(*outputs: Expression) -> Schedule:
    return Schedule(outputs[0].node.graph, outputs, keep_labels=False)


def test_of_a_number_or_an_array_it_is_the_quotient() -> None:
    assert reciprocal(-4.0) == -0.25
    assert reciprocal(np.array([2.0, -0.5])).tolist() == [0.5, -2.0]
    assert reciprocal(np.array([4])).tolist() == [0.25]   # of integers as well
    with pytest.raises(ZeroDivisionError):
        reciprocal(0.0)


def test_it_is_one_division_however_often_it_is_used() -> None:
    graph = Graph()
    x, y = graph.input('x'), graph.input('y')
    products = [reciprocal(x + y) * factor for factor in (x, y, -x)]
    assert written(*products).operations == (2, 1, 0, 0, 1)


def test_a_sign_costs_nothing() -> None:
    x = Graph().input('x')
    assert reciprocal(-x).negative
    assert reciprocal(-x).node is reciprocal(x).node
    assert written(reciprocal(-x)).operations == (0, 0, 0, 0, 1)


def test_the_reciprocal_of_a_reciprocal_is_the_term() -> None:
    x = Graph().input('x')
    assert reciprocal(-reciprocal(x)).node is x.node
    assert reciprocal(-reciprocal(x)).negative


def test_multiples_share_one_division() -> None:
    x = Graph().input('x')
    quarter = reciprocal(-4.0 * x)
    assert (quarter.node.factor, quarter.node.base, quarter.negative) == (
        0.25, reciprocal(x).node, True)
    back = reciprocal(quarter)
    assert (back.node.factor, back.node.base, back.negative) == (4.0, x.node, True)


@pytest.mark.parametrize('k', [1.0, -3.0])
def test_a_term_times_its_reciprocal_is_a_number(k: float) -> None:
    x = Graph().input('x')
    assert reciprocal(x) * (k * x) == k
    assert (k * x) * reciprocal(x) == k
    assert reciprocal(k * x) * -x == pytest.approx(-1.0 / k, rel=1e-15, abs=0.0)
    assert isinstance(reciprocal(x) * reciprocal(x), Expression)
