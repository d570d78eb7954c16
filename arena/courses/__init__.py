"""Exports and rosters: finding bots at paths, collecting hand-ins, writing gradebooks."""
