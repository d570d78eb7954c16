#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image: Arena gets a Python of its own, and
# its engine is compiled, so that no submission waits for that.
set -euo pipefail
umask 022

# Arena needs Python 3.11. The image's own may be older, or have no venv.
find_python() {
  local each
  for each in python3 python3.13 python3.12 python3.11; do
    if "$each" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$each"
      return
    fi
  done
  return 1
}
if ! python=$(find_python); then
  apt-get update
  for version in 3.13 3.12 3.11; do
    apt-get install -y --no-install-recommends "python$version-venv" && break
  done
  python=$(find_python) || {
    echo "No Python 3.11 or newer can be installed in this image: choose a newer one." >&2
    exit 1
  }
fi

"$python" -m venv /autograder/venv
/autograder/venv/bin/python -m pip install --disable-pip-version-check /autograder/source/arena_tournament-*.whl

# The packages that the contest file allows.
/autograder/venv/bin/python -P -c '
import subprocess, sys, tomllib
from arena.common.packages import PACKAGES
with open("/autograder/source/contest.toml", "rb") as file:
    allowed = tomllib.load(file).get("packages", {}).get("allow", [])
names = [PACKAGES.get(name, name) for name in allowed]
pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
sys.exit(subprocess.call([*pip, *names]) if names else 0)'

# Submissions may run on another kind of processor; code for this one would be compiled again there.
export NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR=/autograder/venv/cache
/autograder/venv/bin/python -P -m arena.engine.compile

chmod 700 /autograder/source
/autograder/venv/bin/arena doctor ||
  echo "WARNING: if submissions run in a container like this one, no bot can play; see above." >&2
