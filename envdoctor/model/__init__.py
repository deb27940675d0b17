"""Values that cross boundaries. Standard library only, no I/O, Python 3.8 syntax: the probe
carries this package into the target.
"""
