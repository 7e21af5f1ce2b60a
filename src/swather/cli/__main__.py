"""`python -m swather.cli`, for where the `swather` script is not on the PATH."""

import sys

from swather.cli import main

if not sys.flags.safe_path:
    # The current folder, from which `swather` imports nothing either.
    del sys.path[0]
sys.exit(main())
