"""What a project holds, read from its files: nothing of it is imported or run.

`files.py` finds and reads them, `modules.py` has what one file says, `contents.py` puts them
together: environments, ids, factories, training scripts.
"""
