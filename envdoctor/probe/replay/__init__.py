"""Filling replay storages from the subject: what a transition takes, what is kept, and whether
it is what the subject produced.
"""
