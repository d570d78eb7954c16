"""What measures Arena for its developers: benches, soak, simulated classes, tables."""
