"""What the user asks for: the SPEC, the options and the configuration, checked and turned into
a request.
"""
