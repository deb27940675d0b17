"""The target side: runs in the user's interpreter. Standard library and `envdoctor.model` only,
Python 3.8 syntax.
"""
