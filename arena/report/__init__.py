"""Reports for people: terminal tables and progress, files, feedback pages, exports, a browser's
page.

Its modules are imported one by one, as most commands do not need pandas.
"""
