"""What the subject is: found, described, built, checked by its own framework."""
