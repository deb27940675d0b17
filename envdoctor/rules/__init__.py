"""Rules: pure functions from traces to findings, one file each."""
