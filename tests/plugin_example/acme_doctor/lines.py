"""A format: one line a finding, for Acme's own dashboard."""

from __future__ import annotations


def render(report, **options):
    """`ACM001;warning;direct`."""
    return "".join(
        f"{finding.code};{finding.severity};{finding.manager}\n" for finding in report.findings
    )
