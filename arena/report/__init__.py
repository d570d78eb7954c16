"""What people see and take away: terminal tables, progress, CSV files, feedback.

Its modules are imported one by one: who shows what a bot did needs no pandas.
"""
