"""As much of PettingZoo as the hook knows, in its places."""
