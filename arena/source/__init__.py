"""Analysis of bots' Python sources, without running them."""
