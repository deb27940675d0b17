"""A sample as measures with names and labels, for exporters of time series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.watch.samples import ProcessSample, Sample, SampleCounts

BYTES, SECONDS = "bytes", "seconds"
PREFIX = "envdoctor_"


@dataclass(frozen=True)
class Family:
    """A quantity with the names of its labels. A counter never falls in one process."""

    name: str
    text: str
    labels: tuple[str, ...] = ()
    unit: str = ""
    is_counter: bool = False

    @property
    def path(self) -> str:
        """Its name in a tree of curves: `process/resident_bytes`."""
        return "/".join(filter(None, self.name.removeprefix(PREFIX).split("_", 1)))


@dataclass(frozen=True)
class Measure:
    """A number of a family, with the values of its labels."""

    family: Family
    values: tuple[str, ...]
    number: float

    @property
    def labels(self) -> Mapping[str, str]:
        """{name: value}."""
        return dict(zip(self.family.labels, self.values, strict=True))


COUNTS = (
    ("instances_made", "made", "Instances that were made", True),
    ("instances_open", "open", "Instances that are neither closed nor freed", False),
    ("instances_closed", "closed", "Instances that were closed", True),
    ("instances_dropped", "dropped", "Instances that were freed without close()", True),
    ("resets", "resets", "Calls of reset() that came back", True),
    ("steps", "steps", "Calls of step() that came back", True),
    ("resets_per_second", "resets_per_second", "Resets per second since the last sample", False),
    ("steps_per_second", "steps_per_second", "Steps per second since the last sample", False),
)
PROCESS = ("pid", "role")
ENVIRONMENT = (*PROCESS, "environment")
TRAINING_FAMILIES = {
    field: Family(f"envdoctor_training_{name}", f"{text}, in all processes", (), "", is_counter)
    for name, field, text, is_counter in COUNTS
}
ENVIRONMENT_FAMILIES = {
    field: Family(f"envdoctor_environment_{name}", text, ENVIRONMENT, "", is_counter)
    for name, field, text, is_counter in COUNTS
}
PROCESS_FAMILIES = {
    field: Family(f"envdoctor_process_{name}", text, PROCESS, unit)
    for field, name, text, unit in (
        ("blocks", "python_blocks", "Memory blocks of Python", ""),
        ("malloc", "malloc_bytes", "Memory that malloc has given out", BYTES),
        ("mapped", "mapped_bytes", "Address space", BYTES),
        ("resident", "resident_bytes", "Resident memory (RSS)", BYTES),
        ("descriptors", "descriptors", "Open descriptors", ""),
        ("threads", "threads", "Threads", ""),
        ("children", "children", "Child processes", ""),
        ("segments", "shared_segments", "Mapped segments of shared memory", ""),
        ("still", "still_seconds", "Time for which nothing ran in the process", SECONDS),
    )
}
#: What `figures` gives of processes.
HELD = ("blocks", "malloc", "resident", "descriptors", "threads", "children")
RUN_SECONDS = Family("envdoctor_training_seconds", "Time since the training began", (), SECONDS)
OVER = Family("envdoctor_training_over", "1 once the training has ended")
EXIT_CODE = Family("envdoctor_training_exit_code", "Exit code of the training; negative: a signal")
PROCESSES = Family("envdoctor_training_processes", "Running Pythons of the training that report")
REMARKS = Family("envdoctor_remarks", "Sentences that a live view shows, by kind", ("kind", "pid"))
FINDINGS = Family("envdoctor_findings", "Findings of the report", ("code", "name", "severity"))

FAMILIES = (
    *(RUN_SECONDS, OVER, EXIT_CODE, PROCESSES),
    *TRAINING_FAMILIES.values(),
    *PROCESS_FAMILIES.values(),
    *ENVIRONMENT_FAMILIES.values(),
    *(REMARKS, FINDINGS),
)


def measures(sample: Sample) -> Iterator[Measure]:
    """Return the measures of a sample, family by family. Those of processes are of running ones."""
    running = [each for each in sample.processes if each.running]
    yield Measure(RUN_SECONDS, (), sample.seconds)
    yield Measure(OVER, (), float(sample.over))
    if sample.code is not None:
        yield Measure(EXIT_CODE, (), sample.code)
    yield Measure(PROCESSES, (), len(running))
    yield from _counts(TRAINING_FAMILIES, sample.totals, ())
    for process in running:
        yield from _process(process)
    remarked = Counter((each.kind, str(each.pid)) for each in sample.remarks)
    yield from (Measure(REMARKS, key, number) for key, number in remarked.items())
    by_rule = Counter((each.code, each.name, each.severity) for each in sample.findings)
    yield from (Measure(FINDINGS, key, number) for key, number in by_rule.items())


def figures(sample: Sample) -> dict[str, float]:
    """Return the numbers of a training that runs, by the paths of their families. What processes
    hold is given for the trainer's, `process/threads`, and summed up for all, `training/threads`.
    """
    held = {PROCESS_FAMILIES[field]: field for field in HELD}
    result: dict[str, float] = {}
    for each in measures(sample):
        path = each.family.path
        if each.family in held:
            total = path.replace("process/", "training/")
            result[total] = result.get(total, 0) + each.number
            if each.values[0] == str(sample.pid):
                result[path] = each.number
        elif not each.values and each.family is not OVER:
            result[path] = each.number
    return result


def _process(process: ProcessSample) -> Iterator[Measure]:
    own = (str(process.pid), process.role)
    for field, family in PROCESS_FAMILIES.items():
        number = getattr(process, field)
        if number is not None:
            yield Measure(family, own, number)
    for each in process.environments:
        yield from _counts(ENVIRONMENT_FAMILIES, each.counts, (*own, each.type))


def _counts(
    families: Mapping[str, Family], counts: SampleCounts, values: tuple[str, ...]
) -> Iterator[Measure]:
    for field, family in families.items():
        yield Measure(family, values, getattr(counts, field))
