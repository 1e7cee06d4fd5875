"""The same cases as other servers, proxies and networks would deliver them: the truth stays the same."""

import asyncio
import base64
import copy
import random
from collections.abc import Callable

import pytest
from contract.test_over_http import CASES, SLOW_S, Played, play_all
from contract.wire.compare import compare
from contract.wire.serve import payload_texts

from chatui.engine import deadlines

WITH_TIME_OR_DAMAGE = {
    "raw", "raw_b64", "short_chunk", "reset", "eof", "stall", "gap_ms", "sleep_ms",
}  # fmt: skip
FRAMING = {"content-encoding", "transfer-encoding", "content-length"}


def is_plain(case: dict) -> bool:
    """Only the content matters in this case, not how it is delivered."""
    return case["fault"] not in ("size", "redirect", "retry", "http_error") and all(
        not response.get("no_response")
        and "content_length" not in response
        and not response.get("encode")
        and response.get("framing") != "none"
        and not FRAMING & {name.lower() for name, _ in response.get("headers", [])}
        and not any(WITH_TIME_OR_DAMAGE & set(step) for step in response.get("steps", []))
        for response in case["script"]
    )


def until_the_end(response: dict) -> None:
    response.update(framing="close", http="1.0")


def compressed(response: dict) -> None:
    response.update(framing="length", encode="gzip")
    response.setdefault("headers", []).append(["content-encoding", "gzip"])


def compressed_in_secret(response: dict) -> None:
    response.update(framing="chunked", encode="gzip")


def in_crumbs(response: dict) -> None:
    response["framing"] = "chunked"
    for step in response.get("steps", []):
        step["split"] = {"mode": "random", "seed": 3, "min": 1, "max": 4}


def played(cases: dict[str, dict]) -> dict[str, Played]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_PROXY", "*")
        patch.setattr(deadlines, "USAGE_GRACE_S", SLOW_S)
        return asyncio.run(play_all(cases))


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "reframe", [until_the_end, compressed, compressed_in_secret, in_crumbs], ids=lambda one: one.__name__
)
def test_delivery_changes_nothing(reframe: Callable[[dict], None]) -> None:
    cases = copy.deepcopy({name: case for name, case in CASES.items() if is_plain(case)})
    for case in cases.values():
        for response in case["script"]:
            reframe(response)
    differences = {
        name: compare(cases[name]["expect"], {**one.result, "requests": len(one.requests)})
        for name, one in played(cases).items()
    }
    assert len(differences) > 200
    assert {name: found for name, found in differences.items() if found} == {}


@pytest.mark.parametrize("ending", ["reset", "eof"])
def test_an_answer_that_was_cut_anywhere_is_completed_only_with_its_proof_and_all_its_text(
    ending: str,
) -> None:
    chance = random.Random(5)
    cut: dict[str, dict] = {}
    for name, case in CASES.items():
        if not is_plain(case) or case["expect"].get("state") != "completed":
            continue
        response = case["script"][0]
        body = b"".join(piece for step in response.get("steps", []) for piece in payload_texts(step))
        if len(body) < 2:
            continue
        start = base64.b64encode(body[: chance.randrange(1, len(body))]).decode()
        steps = [{"b64": start}, {ending: True}]
        cut[name] = {**case, "script": [{**response, "framing": "chunked", "steps": steps}]}
    assert len(cut) > 100
    for name, one in played(cut).items():
        if one.result["state"] == "completed":
            assert one.result["text"] == CASES[name]["expect"].get("text", one.result["text"])
        else:
            assert one.result["reason"] in ("disconnect", "protocol", "error")
        if one.result["text"]:
            assert len(one.requests) == 1
