"""Known defects of a framework as what explains a play."""

from __future__ import annotations

from envdoctor.frameworks import Defect, defects
from envdoctor.frameworks.defects import installed
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.view import View


def shown_in(trace: Trace, view: View) -> Defect | None:
    """The first known defect of a manager, in the version that is installed, that its play met."""
    manager, versions = trace.scenario.manager, view.survey.frameworks
    return next(
        (
            defect
            for defect in defects()
            if defect.manager
            and manager.startswith(defect.manager)
            and installed(defect, versions)
            and defect.shows(trace)
        ),
        None,
    )
