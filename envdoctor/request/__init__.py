"""The user's request: the SPEC, the options and the configuration, checked and turned into a
request.
"""
