"""Canvas, Moodle, Gradescope, GitHub: exports that are read, gradebooks that are written."""
