"""The scenarios of a run, and their order. Pure: subject and findings in, scenarios out."""
