"""A training run as it is: the doctor's side of `watch`."""
