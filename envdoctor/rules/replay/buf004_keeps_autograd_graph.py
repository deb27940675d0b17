"""Stored tensors keep the computations that they came from.

What it does
    Looks at what is stored: tensors that require a gradient hold the graph of every computation
    behind them, with all that those saved. The graph is counted, the tensors are detached where
    they are stored, and what that gives back is measured.

Why it matters
    A storage of a few megabytes holds gigabytes of graph. An environment that goes on computing
    from its last state links every step to all before it: nothing is ever let go, and a storage of
    one tensor for all (LazyTensorStorage) chains its own writes, too.

How to fix it
    Hand out what is not part of a graph:

        return observation.detach(), float(reward), terminated, truncated, {}

    or compute in torch.no_grad() where no gradient is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.replay_buffers import NAME
from envdoctor.model.environment_aims import DetachReturned
from envdoctor.model.finding import ENVIRONMENT, Finding
from envdoctor.model.units import size
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.replay_buffers import (
    filled,
    forecast,
    not_filled,
    stored,
    stored_view,
)
from envdoctor.rules.wording.leftovers import pronoun


@rule(
    "BUF004",
    "keeps-autograd-graph",
    where=DIRECT_ONLY,
    needs=(NAME,),
    blames_itself=True,
    unjudged=not_filled,
)
def keeps_autograd_graph(view: View) -> Iterator[Finding]:
    for item in stored(view):
        graph = item.kept.graph
        nodes = graph.nodes
        if not nodes:
            continue
        keys, back = (" and ".join(nodes), (max(0, graph.heap), max(0, graph.objects)))
        yield keeps_autograd_graph.finding(
            f"{item.name} keeps {keys} with the computations behind {pronoun(nodes)},"
            f" {max(nodes.values()):,} behind the last one: detaching what is stored gives back"
            f" {size(back[0])} and {back[1]:,} Python objects",
            f"let {view.class_name} hand out tensors that are detached (tensor.detach()), and"
            " rewards as float().",
            aim=DetachReturned(),
            location=view.locate("step"),
            evidence={"storage": item.name, "nodes": nodes, "bytes": back[0], "objects": back[1]},
            blame=ENVIRONMENT,
        )


EXAMPLES = (
    Example(
        "a differentiable simulator",
        stored_view(
            forecast(),
            filled(
                kept={
                    "graph": {
                        "nodes": {"observation": 1400},
                        "heap": 41_000_000,
                        "memory": 42_000_000,
                        "objects": 0,
                    }
                }
            ),
        ),
        "torchrl-list keeps observation with the computations behind it, 1,400 behind the"
        " last one: detaching what is stored gives back 39.1 MiB and 0 Python objects",
    ),
    Example("detached", stored_view(forecast(), filled(kept={"graph": {"nodes": {}}}))),
)
