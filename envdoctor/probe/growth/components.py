"""The strongly connected parts of a graph: the objects that all lead to each other."""

from __future__ import annotations

from typing import Dict, Iterator, List, Mapping, Sequence, Set

Graph = Mapping[int, Sequence[int]]


def components(graph: Graph) -> Iterator[List[int]]:
    """The parts, each node in one of them (Kosaraju: backwards, in the order of leaving)."""
    backwards: Dict[int, List[int]] = {node: [] for node in graph}
    for node, following in graph.items():
        for other in following:
            backwards[other].append(node)
    seen: Set[int] = set()
    for node in reversed(_leaving_order(graph)):
        if node not in seen:
            yield list(_walk(node, backwards, seen))


def _leaving_order(graph: Graph) -> List[int]:
    """The nodes in the order in which a walk in depth leaves them."""
    seen: Set[int] = set()
    return [node for root in graph if root not in seen for node in _walk(root, graph, seen)]


def _walk(root: int, graph: Graph, seen: Set[int]) -> Iterator[int]:
    """The nodes that are reached from a root and were not seen, as the walk leaves them."""
    seen.add(root)
    path = [(root, iter(graph[root]))]
    while path:
        node, following = path[-1]
        other = next((each for each in following if each not in seen), None)
        if other is None:
            path.pop()
            yield node
        else:
            seen.add(other)
            path.append((other, iter(graph[other])))
