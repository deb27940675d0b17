"""What a hostile environment does: one function a deed, one file a kind. Each is handed the
environment, None at import and exit.
"""
