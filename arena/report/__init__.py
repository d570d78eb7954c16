"""Reports for people: terminal tables, progress, CSV files and feedback pages.

Its modules are imported one by one, as most commands do not need pandas.
"""
