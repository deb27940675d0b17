"""Growth over many cycles: exact meters, their controls, and the search for causes."""
