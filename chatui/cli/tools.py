"""`chatui tools`: the tools that models may be offered, where each comes from, and whether it is on.

Invariant: nothing is run; a tool that cannot be used is listed with the reason.
"""

import argparse
import json

from chatui.core.safe_text import safe_line


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "tools",
        help="tools that models may call, and which are on",
        description="Tools that models may call. None is on unless the configuration, the profile or --tool "
        "names it, and none runs without a yes unless `tools.allow` or --allow-tool names it.",
    )
    parser.add_argument("--profile", metavar="NAME", help="as this profile has it")
    parser.add_argument("--json", action="store_true", help="one JSON array")


def run(arguments: argparse.Namespace) -> int:
    """Print the list.

    Returns:
        0; 2 if a tool that is switched on cannot be used.
    """
    from chatui.cli.messages import tell
    from chatui.core.errors import ExitCode
    from chatui.wiring import LaunchOptions, open_workspace

    workspace = open_workspace(LaunchOptions(profile=arguments.profile))
    try:
        for problem in workspace.problems:
            tell(problem)
        registry = workspace.tools()
        allowed = set(workspace.settings.tools.allow)
        known = registry.known()
        if arguments.json:
            rows = [
                {
                    "name": tool.name,
                    "is_on": tool.is_on,
                    "runs_without_asking": tool.name in allowed,
                    "source": tool.source,
                    "description": tool.description,
                    "problem": tool.problem or None,
                }
                for tool in known
            ]
            print(json.dumps(rows))
        else:
            width = max(len(tool.name) for tool in known)
            for tool in known:
                print(
                    safe_line(
                        f"{tool.name:<{width}}  {tool.state(allowed):<8}  {tool.description}  ({tool.source})"
                    )
                )
        for problem in registry.problems:
            tell(problem)
        return ExitCode.USAGE if registry.problems else ExitCode.COMPLETED
    finally:
        workspace.close()
