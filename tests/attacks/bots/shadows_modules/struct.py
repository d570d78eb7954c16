raise SystemExit("cheat")
