"""Takes a share of a core, in bursts, and does nothing: python -m bench.ours.burner SHARE."""

import sys
import time

TURN_SECONDS = 0.02


def main() -> None:
    busy_seconds = TURN_SECONDS * min(float(sys.argv[1]), 1.0)
    while True:
        until = time.perf_counter() + busy_seconds
        while time.perf_counter() < until:
            pass
        time.sleep(TURN_SECONDS - busy_seconds)


if __name__ == "__main__":
    main()
