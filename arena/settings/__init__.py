"""All that can be set of a contest, its file, and the presets."""
