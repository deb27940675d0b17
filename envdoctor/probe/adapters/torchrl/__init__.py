"""TorchRL: its batched environments, and its environments as they are traced."""

VECTORIZERS = ("serial", "parallel")
