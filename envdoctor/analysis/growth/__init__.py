"""Growth from one cycle to the next: exact readings in, leaks with their amounts out.

`verdicts` judges one meter over blocks of cycles, `attribution` divides growth among operations,
`sides` reads traces, `leaks` names what grows, how much of it each container holds, and what is
left.
"""
