"""Two nodes of the same name: each effort is published twice, which the log says."""

from types import SimpleNamespace
from unittest.mock import Mock

from urdf2dyn_ros.nodes.endpoints import SameName


def test_another_node_of_the_same_name_is_logged_once_it_is_no_remainder_of_a_killed_one() -> None:
    node = Mock()
    node.get_name.return_value, node.get_namespace.return_value = 'inverse_dynamics', '/left'
    node.get_fully_qualified_name.return_value = '/left/inverse_dynamics'
    same, other = ('inverse_dynamics', '/left'), ('inverse_dynamics', '/right')
    watch = SameName(SimpleNamespace(node=node, timer=Mock()))
    warn = node.get_logger.return_value.warning

    def check(names: list[tuple[str, str]], times: int) -> int:
        node.get_node_names_and_namespaces.return_value = names
        for _ in range(times):
            watch.check()
        return warn.call_count

    assert check([same, other], 20) == 0
    assert check([same, same, other], 4) == 0   # killed, and started again
    assert check([same], 1) == 0
    assert check([same, other, same], 30) == 1
    assert '/left/inverse_dynamics: every effort is published 2 times' in warn.call_args.args[0]
    assert check([same], 1) == 1
    assert check([same, same, same], 5) == 2
