"""Course systems: exports, rosters and gradebooks."""
