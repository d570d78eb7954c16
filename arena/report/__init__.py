"""Reports for people: tables, progress, files, feedback pages, exports, HTML.

Import single modules: most commands do not need pandas, which is slow to import.
"""
