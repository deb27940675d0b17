"""What travels to another process and back."""
