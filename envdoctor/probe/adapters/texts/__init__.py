"""The shapes of games of words: an action is a text."""
