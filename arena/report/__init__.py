"""Reports for people: tables, progress, files, feedback pages, exports, HTML.

Import the modules one by one: most commands do not need pandas.
"""
