"""close() keeps a licence of Acme's simulator.

What it does
    Counts the licences that are still taken when a closed environment is still there.

Why it matters
    There are ten of them, and the eleventh worker waits.

How to fix it
    Give it back where the simulator is stopped:

        def close(self):
            self.simulator.give_back()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.testing import Example, View, direct_view, life_trace, rule


@rule("ACM001", "licence-kept", severity="warning", verb="close", sensors=("acme-licences",))
def licence_kept(view: View) -> Iterator[Finding]:
    kept = view.left("acme-licences", "held")
    if kept:
        remedy = f"give it back in {view.class_name}.close()."
        yield licence_kept.finding(
            f"close() keeps {len(kept)} of Acme's licences", remedy, evidence={"kept": list(kept)}
        )


EXAMPLES = (
    Example(
        "one is kept",
        direct_view(
            life_trace(
                before={"acme-licences": {}},
                held={"acme-licences": {"A": "licence A"}},
                dropped={"acme-licences": {}},
            )
        ),
        "close() keeps 1 of Acme's licences",
    ),
    Example(
        "all are given back",
        direct_view(
            life_trace(
                before={"acme-licences": {}},
                held={"acme-licences": {}},
                dropped={"acme-licences": {}},
            )
        ),
    ),
)
