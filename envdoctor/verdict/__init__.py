"""From traces to a report with a verdict: judged findings, policy, baseline, redaction. Pure."""
