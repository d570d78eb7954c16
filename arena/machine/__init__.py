"""The machine: its processes, cores, memory and versions."""
