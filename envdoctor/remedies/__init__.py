"""From what a remedy aims at, and the source, to edits, changed text and lines to paste.
Nothing here runs or imports what it reads.
"""
