"""The verbs of a script: what each one does."""
