"""Grade rules and tie-breaks, computed from arrays."""
