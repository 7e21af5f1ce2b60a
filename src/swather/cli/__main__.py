"""`python -m swather.cli`, for where the `swather` script is not on the PATH."""

import sys

from swather.cli import main

sys.exit(main())
