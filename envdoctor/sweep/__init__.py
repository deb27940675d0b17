"""Many environments: what is to be examined, a ledger of results, and what changed between two."""
