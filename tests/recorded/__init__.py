"""Examinations that were recorded through the installed command, and are judged again by today's
rules. `python -m tests.recorded record` makes them anew.
"""
