"""Names of the user and the machine, which verdict/redaction.py hides in a report."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from envdoctor.model.report import Report
from envdoctor.model.subject import Subject
from envdoctor.verdict import redaction


def private(report: Report, subjects: Sequence[Subject], unnamed: bool) -> Report:
    """The report on these subjects as it may be shown and kept; `unnamed`: as --anonymous asks for.
    To be called last: what a team decided is written in the words of the command line, which are
    hidden then.
    """
    owner = redaction.ReportOwner(home=os.path.expanduser("~"))
    if not unnamed:
        return redaction.discreet(report, owner)
    import getpass

    with suppress(OSError, KeyError):  # a container's user may have no name
        owner = replace(owner, user=getpass.getuser())
    values = tuple(
        value for subject in subjects for value in subject.kwargs.values() if isinstance(value, str)
    )
    project = subjects[0].directory if subjects else ""
    return redaction.anonymous(
        report, replace(owner, project=project, host=platform.node(), values=values)
    )
