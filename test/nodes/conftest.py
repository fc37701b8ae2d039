"""What the tests of nodes share."""

from collections.abc import Iterator

import pytest

from support.nodes.graph import Graph


@pytest.fixture
def graph() -> Iterator[Graph]:
    with Graph() as graph:
        yield graph
