"""A live run: plays the plan in probe processes. All of the doctor's operating-system code is
below supervise/.
"""
