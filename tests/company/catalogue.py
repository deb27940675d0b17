"""The illnesses that can be mixed, and what tells each of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: What growth is played for, in the words of findings.
WORKERS = ("--managers", "direct,gymnasium-async", "--start-methods", "fork")
ALONE = ("--managers", "direct")

#: Which operation grows, as the message of a finding begins with it or goes on; `LASTING` where it
#: outlives its instance.
OF_INSTANCE = r"(?:^|, )every (?:\w+ )?new instance "
OF_RESET = r"(?:^|, )every (?:\w+ )?reset\(\) "
OF_STEP = r"(?:^|, )every (?:\w+ )?step\(\) "
FEW_CYCLES = r"fitted into the time; one takes"
LASTING = r"(?!of an instance that stays open)"


@dataclass(frozen=True)
class Illness:
    """One mixin: its class, and what tells it: a code of a rule, or `CODE pattern` where the message
    (with the containers and lines in its evidence) has to say which one it is. `grows` where `leak`
    looks for it, too; `arguments` of `check`; `spoils` are illnesses that it makes untrue;
    `burden`: no illness by itself, it makes others hard to see. `outermost`: what others override
    would cure it. `blinds`: what a report says of others that cannot be judged beside it; large
    companies with it show only what becomes of each of its members beside it.
    """

    name: str
    signs: tuple[str, ...]
    grows: bool = False
    arguments: tuple[str, ...] = ALONE
    options: tuple[str, ...] = ()
    spoils: tuple[str, ...] = ()
    burden: bool = False
    outermost: bool = False
    blinds: str = ""

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes alone."""
        return tuple(dict.fromkeys(sign.partition(" ")[0] for sign in self.signs))

    def is_shown_by(self, finding: Mapping[str, Any]) -> bool:
        """Return whether a finding is about this illness."""
        text = f"{finding['message']} {finding.get('evidence')} {finding.get('location')}"
        for sign in self.signs:
            code, _, pattern = sign.partition(" ")
            if finding["code"] == code and re.search(pattern, text):
                return True
        return False


ILLNESSES = (
    Illness("DescriptorLeft", ("CLS006 /dev/zero", f"LEK005 {OF_INSTANCE}")),
    Illness("ThreadLeft", ("CLS007 physics",)),
    Illness("ProcessLeft", ("CLS008",)),
    Illness("PortLeft", ("CLS009",)),
    Illness("FileLeft", ("CLS010 level-",)),
    Illness("MemoryLeft", ("CLS011",)),
    Illness("InstanceKept", ("CLS012", "LEK001 CLOCK")),
    Illness("FreedByCollector", ("CLS013", "LEK011")),
    Illness(
        "CloseRaises",
        ("CLS001 .*NoneType|list indices",),
        spoils=("SecondCloseRaises", "CloseErrorHidden"),
        blinds=r"close\(\) raises",
    ),
    Illness(
        "CloseAlwaysRaises",
        ("CLS001 licence", "CLS002 licence"),
        spoils=("CloseRaises", "SecondCloseRaises", "CloseBeforeResetRaises", "CloseErrorHidden"),
        blinds=r"close\(\) raises",
    ),
    Illness("CloseBeforeResetRaises", ("CLS002 _journal",)),
    Illness("SecondCloseRaises", ("CLS003 not connected",)),
    Illness("CloseErrorHidden", ("CLS014",), arguments=WORKERS, spoils=("SecondCloseRaises",)),
    Illness("CloseSlow", ("CLS005",), blinds=FEW_CYCLES),
    Illness("NotReopenable", ("CLS016",)),
    Illness("ErrorAtExit", ("CLS017",)),
    Illness("SignalHandler", ("SFX001",)),
    Illness("ConstructorConnects", ("MAK002",)),
    Illness("DescriptorPerReset", (f"LEK005 {OF_RESET}",), grows=True),
    Illness("DescriptorPerStep", (f"LEK005 {OF_STEP}",), grows=True),
    Illness("DescriptorSometimes", ("LEK005 every 5th new instance ",), grows=True),
    Illness("ThreadPerReset", (f"LEK006 {OF_RESET}",), grows=True),
    Illness("ProcessPerReset", (f"LEK007 {OF_RESET}",), grows=True),
    Illness("FilePerReset", (f"LEK008 {OF_RESET}",), grows=True),
    Illness("MemoryPerReset", (f"LEK009 {OF_RESET}",), grows=True),
    Illness("MallocPerInstance", (f"LEK003 {OF_INSTANCE}",), grows=True),
    Illness("MallocPerReset", (f"LEK003 {OF_RESET}{LASTING}",), grows=True),
    Illness("MallocPerStep", (f"LEK003 {OF_STEP}",), grows=True),
    Illness("MappedPerInstance", (f"LEK004 {OF_INSTANCE}",), grows=True),
    Illness("MappedPerReset", (f"LEK004 {OF_RESET}",), grows=True),
    Illness("ListPerReset", ("LEK001 EPISODES",), grows=True),
    Illness("ListPerStep", ("LEK001 VISITED",), grows=True),
    Illness("NumbersPerStep", ("LEK002 ACTIONS",), grows=True),
    Illness("BytesPerReset", ("LEK001 FRAMES", "LEK002 FRAMES"), grows=True),
    Illness("TrailPerStep", ("LEK001 _trail",), grows=True),
    Illness("ScoresPerReset", ("LEK001 _scores",), grows=True),
    Illness("LoggerPerInstance", ("LEK001 logging",), grows=True),
    Illness("MallocPerTrail", (f"LEK003 {OF_RESET}of an instance that stays open",), grows=True),
    Illness("FramesUntilCollected", ("LEK011",), grows=True),
    Illness("ObservationReused", ("API011",), outermost=True),
    Illness("ObservationOutside", ("API001 observation space",)),
    Illness("ResetNotSeeded", ("DET001",)),
    Illness("StepNotReproducible", ("DET002",)),
    Illness("DiffersBetweenProcesses", ("DET003",)),
    Illness("GlobalRandomState", ("SFX004",)),
    Illness("WorkingDirectory", ("SFX002",)),
    Illness("EnvironmentVariables", ("SFX003",)),
    Illness("WarningFilters", ("SFX005",)),
    Illness("StdoutNoise", ("SFX006",)),
    Illness("ThreadSettings", ("SFX007",)),
    Illness("UndefinedName", ("API010",)),
    Illness("CollectsByHand", ("API012",), spoils=("FramesUntilCollected",)),
    Illness("ResetRefusesSeed", ("API013",), outermost=True),
    Illness("SlowConstructor", ("MAK003",), blinds=FEW_CYCLES),
    Illness("StepRaisesLater", (r"API014 ^step\(\) raises IndexError",)),
    Illness("ResetRaisesLater", (r"API014 ^reset\(\) raises ValueError",)),
    Illness(
        "RenderRaises",
        (r"API001 ^render\(\)", r"API014 ^render\(\)"),
        options=("-k", 'render_mode="rgb_array"'),
    ),
    Illness("InstancesInterfere", ("MAK005",)),
    Illness("HandleRebuilt", ("RUS005", "LEK006 HandleRebuilt|Robot")),
    Illness("InfoNotPicklable", ("VEC005",)),
    Illness("ErrorNotPicklable", ("VEC006",), arguments=WORKERS),
    Illness("CloseHangs", ("CLS004",), options=("--timeout", "3"), blinds=r"close\(\) hangs"),
    Illness("SlowSteps", (), burden=True, blinds="slow"),
)
BY_NAME = {illness.name: illness for illness in ILLNESSES}
