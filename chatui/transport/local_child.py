"""The embedded engine's own process: llama.cpp's HTTP server, from the xllamacpp wheel, on loopback.

Started by `local_engine.LocalEngine` as a plain script, so it imports nothing of chatui. Invariant: it lives
exactly as long as its standard input is open, which the kernel closes whenever the parent ends, SIGKILL
included.

It says one line on standard output: `READY http://127.0.0.1:PORT`, or `FAILED KIND TEXT`.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Final

API_KEY_VARIABLE: Final = "CHATUI_ENGINE_API_KEY"
"""Any web page may call a loopback port, and llama.cpp reflects every Origin; the key keeps them out."""


def main() -> int:
    """Serve until standard input ends.

    Returns:
        0 after a clean stop, 1 if the engine could not be loaded or the model could not be read.
    """
    arguments = _arguments()
    api_key = os.environ.pop(API_KEY_VARIABLE, "")
    stop = threading.Event()
    disarm = _die_with_standard_input()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stopper(stop))

    try:
        import xllamacpp
    except ImportError as problem:
        return _fail("import", problem)
    except OSError as problem:
        return _fail("import", problem)

    parameters = xllamacpp.CommonParams()
    parameters.model.path = arguments.model
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [api_key]
    parameters.model_alias = {arguments.alias}
    parameters.n_ctx = arguments.context_tokens
    parameters.n_parallel = 1
    parameters.n_gpu_layers = 0
    parameters.cpuparams.n_threads = arguments.threads
    parameters.cpuparams_batch.n_threads = arguments.threads
    if arguments.tiny:
        parameters.sampling.temp = 0.2  # at the usual 0.8 it rambles
        parameters.sampling.top_p = 0.9
        # A longer window would punish the very words that the question asks about.
        parameters.sampling.penalty_last_n = 16
        parameters.sampling.dry_multiplier = 0.8
        parameters.sampling.dry_allowed_length = 4
        parameters.sampling.dry_penalty_last_n = 512
        parameters.n_predict = 1024
    parameters.use_jinja = True
    parameters.offline = True
    parameters.ui = False
    if arguments.template:
        with open(arguments.template, encoding="utf-8") as template:
            parameters.chat_template = template.read()

    try:
        server = xllamacpp.Server(parameters)
    except Exception as problem:  # noqa: BLE001 - the extension documents no error classes; each is told to the parent
        return _fail("load", problem)

    disarm()
    threading.Thread(target=_watch_standard_input, args=(stop,), daemon=True).start()
    print(f"READY {server.listening_address}", flush=True)  # noqa: T201 - the line that the parent waits for
    while not stop.wait(0.5):
        pass
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The embedded engine of chatui; started by chatui itself.")
    parser.add_argument("--model", required=True)
    parser.add_argument("--alias", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--context-tokens", type=int, required=True)
    parser.add_argument(
        "--tiny",
        action="store_true",
        help="defaults that keep a tiny model from repeating itself for ever; a request may say otherwise",
    )
    parser.add_argument("--template", default="")
    return parser.parse_args()


def _stopper(stop: threading.Event) -> Callable[[int, FrameType | None], None]:
    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    return on_signal


def _die_with_standard_input() -> Callable[[], None]:
    """Let the kernel end this process when its input closes, also while the model is being read.

    Loading holds the interpreter's lock for seconds, so no thread could notice. SIGIO on the input, left at
    its default action, needs no Python at all. Where there is no such signal the loading simply ends first.

    Returns:
        A function that switches this off once a thread can watch.
    """
    if sys.platform != "linux":
        return lambda: None
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    descriptor = sys.stdin.fileno()
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_ASYNC)

    def disarm() -> None:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)

    return disarm


def _watch_standard_input(stop: threading.Event) -> None:
    while sys.stdin.buffer.read(4096):
        pass
    stop.set()


def _fail(kind: str, problem: BaseException) -> int:
    text = " ".join(f"{type(problem).__name__}: {problem}".split())
    print(f"FAILED {kind} {text}", flush=True)  # noqa: T201 - the line that the parent waits for
    return 1


if __name__ == "__main__":
    sys.exit(main())
