"""The settings of a contest, its file, and the presets."""
