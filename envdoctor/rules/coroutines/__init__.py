"""ASY: coroutines, and what is left on an event loop."""
