"""TRN: what a training does with its environments, as `watch` saw it."""
