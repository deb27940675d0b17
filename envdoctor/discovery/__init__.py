"""The contents of a project, read from its files: nothing of it is imported or run.

`files.py` finds and reads them, `syntax.py` resolves names, `modules.py` describes one file,
`contents.py` puts them together: environments, ids, factories, training scripts.
"""
