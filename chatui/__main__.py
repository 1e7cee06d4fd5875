"""`python -m chatui` and the `chatui` command."""

import sys


def run() -> None:
    """Run the command line and exit with its code."""
    from chatui.cli.main import main

    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
