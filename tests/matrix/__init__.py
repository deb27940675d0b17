"""The fault matrix: what envdoctor promises of hostile environments, and every fault that it
was tried with.
"""
