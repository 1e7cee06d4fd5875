"""`python -m chatui` and the `chatui` command."""

import gc
import sys


def run() -> None:
    """Run the command line and exit with its code."""
    # Loading modules makes many objects and no garbage: looking for it after every 700 takes time.
    gc.set_threshold(50_000, 20, 20)
    from chatui.cli.main import main

    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
