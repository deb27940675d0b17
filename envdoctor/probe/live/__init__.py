"""The hook of `watch`: what counts in a process that is the user's own."""
