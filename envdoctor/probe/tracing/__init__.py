"""What is noticed while instances live: who builds, resets and closes them, what they take,
what they change.
"""
