"""How the command line starts the app."""

import subprocess
import sys

from chatui.cli.launch_options import launch_options
from chatui.cli.main import whole_parser
from chatui.wiring import LaunchOptions


def test_no_option_at_all_means_what_the_parser_says_of_none() -> None:
    assert launch_options(whole_parser().parse_args([])) == LaunchOptions()


def test_who_gives_no_option_waits_for_no_parser() -> None:
    code = "import sys; from chatui.cli.main import main; print(main([])); print('argparse' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    assert ran.stdout.split() == ["2", "False"]  # there is no terminal here
