"""How Sphinx builds the user's documentation: `sphinx-build -W docs build/docs`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # generated.py and figures.py lie here

import figures

figures.draw()

project = "Arena"
copyright = "the authors of Arena, MIT licence"
html_title = "Arena"
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_click",
    "generated",
]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

smartquotes = False  # they would join the two dashes of an option
default_role = "code"  # docstrings write names as Markdown does, in single backquotes
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
add_module_names = False
