from envdoctor.api import check as check
from envdoctor.api import exit_code as exit_code
from envdoctor.api import leak as leak
from envdoctor.api import render as render
from envdoctor.errors import EnvdoctorError as EnvdoctorError
from envdoctor.errors import NothingToCheck as NothingToCheck
from envdoctor.errors import UsageError as UsageError
from envdoctor.inside import watching as watching
from envdoctor.model.finding import Finding as Finding
from envdoctor.model.report import Report as Report

__all__ = [
    "EnvdoctorError",
    "Finding",
    "NothingToCheck",
    "Report",
    "UsageError",
    "check",
    "exit_code",
    "leak",
    "render",
    "watching",
]
__version__: str
