"""The rows of a robot's picture: every body once, parents above, no line through another mark."""

from hypothesis import given

from support.random_trees import examples, trees
from urdf2dyn_ros.drawing.tree_rows import TreeRow, tree_rows
from urdf2dyn_ros.multibody import ROOT, Body, Multibody, multibody


def tree(parents):
    frame, origin = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (0, 0, 0)
    names = tuple(f'joint{number}' for number in range(len(parents)))
    return Multibody(names, tuple(Body(name, 'revolute', parent, frame, origin)
                                  for name, parent in zip(names, parents)), ())


def test_a_chain_goes_straight_down_and_a_branch_one_column_right():
    rows = tree_rows(tree([ROOT, 0, 1, 2, 1, ROOT]))
    assert rows == (TreeRow(ROOT), TreeRow(0, 1, 0), TreeRow(1, 1, 1), TreeRow(2, 2, 2),
                    TreeRow(3, 2, 3), TreeRow(4, 2, 2), TreeRow(5, 1, 0))


def test_of_a_long_chain_the_end_is_omitted_and_counted():
    rows = tree_rows(tree(range(-1, 4999)), most=100)
    assert len(rows) == 102
    assert {row.column for row in rows} == {0}
    assert rows[-1] == TreeRow(100, 0, 100, tuple(range(100, 5000)))


def test_of_many_limbs_each_keeps_what_is_near_the_root():
    # three limbs of ten: ROOT-0-..-9, ROOT-10-..-19, ROOT-20-..-29
    rows = tree_rows(tree([ROOT if number % 10 == 0 else number - 1 for number in range(30)]), 9)
    assert [row.body for row in rows] == [-1, 0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]
    assert [len(row.omitted) for row in rows if row.omitted] == [7, 7, 7]


def test_no_body_is_a_picture_of_the_root():
    assert tree_rows(tree([])) == (TreeRow(ROOT),)


@given(trees(most=30))
@examples(25)
def test_every_body_is_there_once_and_no_line_runs_through_a_mark(model):
    system = multibody(model)
    for most in (4, 10, 100):
        rows = tree_rows(system, most)
        bodies = [number for row in rows for number in row.omitted or (row.body,)]
        assert sorted(bodies) == list(range(-1, len(system.bodies)))
        assert sum(not row.omitted for row in rows) <= most + 1
        for number, row in enumerate(rows[1:], 1):
            parent = rows[row.parent]
            assert row.parent < number and parent.column <= row.column <= parent.column + 1
            assert system.bodies[row.body].parent == parent.body
            between = rows[row.parent + 1:number]
            assert all(other.column > parent.column for other in between)
