"""The doctor's side of a probe: start it, watch it, end it, and leave nothing behind. All
operating-system code lives here.
"""
