"""The traits of scenarios: one table, by name.

A scenario that is not in it is an ordinary one. Code that plays or judges asks for a trait and
never for a name.
"""

from __future__ import annotations

from typing import Dict

from envdoctor.model.fast_dataclass import dataclass

#: What a scenario of the leak check is for.
LIFECYCLES, LIFECYCLE_WARM_UP, LIFECYCLE_CAUSES = "lifecycles", "warm-up", "causes"
OPEN_INSTANCE, OPEN_WARM_UP, OPEN_CAUSES = "open instance", "open warm-up", "open causes"
WHOLE_EPISODES, NEW_STATES = "whole episodes", "new states"
WORKERS, SUSPECTS, ALLOCATIONS = "workers", "suspects", "allocations"

#: In how an instance is used beside another one.
BOTH, PROOF, COPY, INDEPENDENT = "both", "proof", "copy", "apart"
#: Two of which images are compared.
DRAWN = "drawn"
#: Alone, while what it returned is overwritten.
OVERWRITTEN = "overwritten"


@dataclass(frozen=True)
class Traits:
    """`plain`: the life that the others are compared with. `pairs`: two lives, which are compared.
    `surveys`: finds the subject, and builds none. `enters`: imports the framework first.
    `detailed`: read between its verbs. `judged`: what its close leaves is judged. `recorded`: what
    its instances return is kept; `reuses`: of one instance that is used again, whose returned
    arrays are looked at later; `repeats`: of one that plays a whole episode twice; `varies`: of one
    that is reset without a seed, and then with others; `other_process`: in another process than the
    plain life; `replays`: asks alone what managers' instances were asked. `beside`: how instances
    are used side by side. `drawn`: in a render mode that was not asked for. `optional`: what few
    people do, judged by itself. `rare`: a launch that few scripts ask for, judged by itself.
    `reopens`: resets what was closed. `spoils`: what its probe is like afterwards says nothing.
    `fresh`: needs a probe of its own. `launches`: begins with a launch, and ends with its close;
    `relaunches`: closes a manager and launches it again. `on_demand`: only a finding makes it worth
    playing. `compares_last`: played after those whose recordings it reads. `growth`: what it is for
    in a leak check. `fills_storage`: a replay storage. `scales`: one of several launches with
    different numbers of workers. `explains_growth`: played for a finding of a leak check, too.
    """

    plain: bool = False
    pairs: bool = False
    surveys: bool = False
    enters: bool = True
    detailed: bool = False
    judged: bool = False
    recorded: bool = False
    reuses: bool = False
    repeats: bool = False
    varies: bool = False
    other_process: bool = False
    replays: bool = False
    beside: str = ""
    drawn: bool = False
    optional: bool = False
    rare: bool = False
    reopens: bool = False
    spoils: bool = False
    fresh: bool = False
    launches: bool = False
    relaunches: bool = False
    on_demand: bool = False
    compares_last: bool = False
    growth: str = ""
    fills_storage: bool = False
    scales: bool = False
    explains_growth: bool = False

    @property
    def watched(self) -> bool:
        """True if it is read when it is closed and when it is dropped. Others are read before and
        after only, which shows if the process is clean.
        """
        return self.detailed or self.judged


ORDINARY = Traits()

#: A plain life that was launched in another way.
VARIANT = Traits(judged=True)

TRAITS: Dict[str, Traits] = {
    "survey": Traits(surveys=True, enters=False),
    "life": Traits(plain=True, detailed=True, judged=True, recorded=True, launches=True),
    "reuse": Traits(recorded=True, reuses=True),
    "episode-again": Traits(recorded=True, repeats=True),
    "other-seeds": Traits(recorded=True, varies=True, compares_last=True),
    "nonzero-seeds": Traits(recorded=True, pairs=True, on_demand=True),
    "more-seeds": Traits(recorded=True, pairs=True, on_demand=True),
    "next-episode": Traits(recorded=True, pairs=True),
    "reopen": Traits(reopens=True),
    "two-at-once": Traits(beside=BOTH),
    "two-rendered": Traits(fresh=True),
    "undisturbed": Traits(beside=PROOF, on_demand=True),
    "freed-late": Traits(beside=BOTH, on_demand=True),
    "apart": Traits(beside=INDEPENDENT, optional=True, on_demand=True, spoils=True),
    "blocking-state": Traits(optional=True, on_demand=True, spoils=True, fresh=True),
    "copied": Traits(beside=COPY, optional=True),
    "overwritten": Traits(beside=OVERWRITTEN, optional=True),
    "rendered": Traits(drawn=True, optional=True, judged=True, recorded=True),
    "in-thread": Traits(optional=True),
    "failing-reset": Traits(detailed=True, optional=True),
    "images": Traits(drawn=True, beside=DRAWN, optional=True),
    "two-windows": Traits(drawn=True, optional=True, spoils=True),
    "episode": Traits(recorded=True, launches=True),
    "episode-same-step": Traits(recorded=True, launches=True),
    "episode-disabled": Traits(recorded=True, launches=True),
    "episode-alone": Traits(compares_last=True),
    "acquisitions": Traits(detailed=True, on_demand=True, explains_growth=True),
    "effects": Traits(enters=False, fresh=True, on_demand=True, compares_last=True),
    "other-process": Traits(recorded=True, other_process=True, compares_last=True),
    "other-process-alike": Traits(recorded=True, other_process=True, compares_last=True),
    "replay": Traits(replays=True, compares_last=True),
    "replay-of-piped": Traits(on_demand=True, compares_last=True),
    "without-shared-memory": Traits(judged=True, recorded=True, on_demand=True, launches=True),
    "without-buffers": Traits(judged=True, rare=True, launches=True),
    "unseeded": Traits(rare=True, launches=True),
    "failing-again": Traits(rare=True, on_demand=True, launches=True),
    "without-shadow": Traits(rare=True, fresh=True, on_demand=True),
    "without-daemon": Traits(on_demand=True, launches=True),
    "ports": Traits(optional=True, on_demand=True, spoils=True, fresh=True),
    "layers": Traits(optional=True, on_demand=True, spoils=True),
    "leftover": Traits(optional=True, on_demand=True, spoils=True, fresh=True),
    "caught": Traits(optional=True, on_demand=True, spoils=True, explains_growth=True),
    "origin": Traits(optional=True, on_demand=True, spoils=True, explains_growth=True),
    "uncollected": Traits(on_demand=True),
    "waste": Traits(on_demand=True, explains_growth=True),
    "lost-error": Traits(on_demand=True),
    "cured": Traits(on_demand=True, launches=True),
    "relaunch": Traits(launches=True, relaunches=True),
    "leak": Traits(growth=LIFECYCLES),
    "leak-warm": Traits(growth=LIFECYCLE_WARM_UP),
    "leak-causes": Traits(growth=LIFECYCLE_CAUSES),
    "leak-open": Traits(growth=OPEN_INSTANCE),
    "leak-open-warm": Traits(growth=OPEN_WARM_UP),
    "leak-open-causes": Traits(growth=OPEN_CAUSES),
    "leak-episodes": Traits(growth=WHOLE_EPISODES),
    "leak-new-states": Traits(growth=NEW_STATES),
    "leak-workers": Traits(growth=WORKERS, launches=True),
    "leak-suspects": Traits(growth=SUSPECTS),
    "leak-memray": Traits(growth=ALLOCATIONS),
    "storage": Traits(fills_storage=True),
    "workers": Traits(scales=True, launches=True),
    "storage-forecast": Traits(fills_storage=True),
}
