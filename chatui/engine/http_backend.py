"""One HTTP request and what came back, as batches of stream events.

Invariants: status and body are judged before a decoder is chosen; whatever transport and server do ends in
exactly one `StreamCompleted` or `StreamFailed`; no failure repeats the key that was sent; between two
awaits at most `BATCH_BYTES` are decoded, so the event loop is never held for long.
"""

import asyncio
import dataclasses
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import replace
from typing import Final, assert_never

from chatui.core.endpoint_url import endpoint_url
from chatui.core.errors import (
    ChatuiError,
    ConnectionLost,
    Failure,
    FailureReason,
    LimitExceeded,
    WireError,
)
from chatui.core.events import (
    ReasoningDelta,
    StreamEvent,
    StreamFailed,
    TextDelta,
    ToolCallDelta,
    UnknownEvent,
)
from chatui.core.redact import redact, secrets_of_url
from chatui.core.request import ChatRequest
from chatui.core.wire import StreamDecoder
from chatui.engine.body_sniffing import BodyKind, sniff
from chatui.engine.deadlines import DeadlineWatch
from chatui.engine.endpoint import Endpoint
from chatui.engine.failures import (
    decoder_bug,
    empty_body,
    failure_of_error,
    not_understood,
    status_failure,
)
from chatui.engine.ports import Clock, HttpRequest, HttpResponse, OpenStage, Transport
from chatui.engine.request_encoding import MANY_MESSAGES, encoded_body

BATCH_BYTES: Final = 64 * 1024
MAX_ERROR_BODY_BYTES: Final = 256 * 1024
MAX_BODY_BYTES: Final = 1024 * 1024 * 1024
"""More than any answer; a server that sends without end is cut off here."""
_SAID: Final = (TextDelta, ReasoningDelta, ToolCallDelta)
_REQUEST_ID_HEADERS: Final = ("x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "cf-ray")


class Exchange:
    """One request. Iterate `events()`; if that is interrupted, `close(cut)` gives the end.

    Args:
        transport: Sends it.
        endpoint: Whom to ask.
        request: What to ask.
        watch: Hears of connection, bytes and events.
        clock: Time.
        on_stage: Hears how far the opening got.
    """

    def __init__(
        self,
        transport: Transport,
        endpoint: Endpoint,
        request: ChatRequest,
        watch: DeadlineWatch,
        clock: Clock,
        on_stage: Callable[[OpenStage], None],
    ) -> None:
        self._transport = transport
        self._endpoint = endpoint
        self._request = request
        self._watch = watch
        self._clock = clock
        self._on_stage = on_stage
        self._url = endpoint_url(endpoint.base_url, endpoint.protocol.path)
        self._decoder: StreamDecoder | None = None
        self._response: HttpResponse | None = None
        self._pace_s = 0.0
        self._characters = 0
        self._error_body = bytearray()
        self.stage = OpenStage.CONNECTING
        self.has_event = False
        """An event was seen: from now on nothing may be retried."""
        self.has_ended = False

    def pace(self, interval_s: float) -> None:
        """Read a trickle at most once an interval from now on."""
        self._pace_s = interval_s
        if self._response is not None:
            self._response.pace(interval_s)

    def close(self, cut: Failure) -> list[StreamEvent]:
        """The events that end an exchange that was interrupted. Proof that was seen before still counts."""
        self.has_ended = True
        response = self._response
        if response is not None and not _is_good(response) and cut.reason is not FailureReason.CANCELLED:
            # The status is known and says more than a body that never came.
            return [StreamFailed(self._told(self._status_failure(response)))]
        if self._decoder is None:
            return [StreamFailed(self._told(cut))]
        return self._final(self._decoder, cut)

    async def events(self) -> AsyncGenerator[list[StreamEvent], None]:
        """Batches of events; the last one ends with the end of the turn. Raises only `CancelledError`."""
        try:
            is_long = len(self._request.messages) > MANY_MESSAGES
            request = await asyncio.to_thread(self._http_request) if is_long else self._http_request()
            response = await self._transport.open(request, self._staged)
            # It is sent: a long conversation is not held any longer than that.
            del request
            self._request = replace(self._request, messages=())
        except ChatuiError as error:
            yield self._fail(failure_of_error(error, 0))
            return
        self._response = response
        try:
            async for batch in self._judged(response):
                yield batch
            await response.finish()
        except ChatuiError as error:
            yield self.close(failure_of_error(error, self._characters))
        except Exception as error:  # noqa: BLE001 - hostile bytes that find a bug of ours must not take the app along
            yield self._fail(decoder_bug(error))
        finally:
            await response.close()

    def _staged(self, stage: OpenStage) -> None:
        self.stage = stage
        if stage in (OpenStage.SENDING, OpenStage.SENT):
            self._watch.connected(self._clock.monotonic_s())
        self._on_stage(stage)

    def _http_request(self) -> HttpRequest:
        endpoint = self._endpoint
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream, application/json"
            if self._request.is_streaming
            else "application/json",
            **{name.lower(): value for name, value in endpoint.protocol.headers(endpoint.api_key).items()},
            **{name.lower(): value for name, value in endpoint.extra_headers},
        }
        body = endpoint.protocol.body(self._request, endpoint.dialect)
        return HttpRequest(
            "POST",
            self._url,
            {name: value for name, value in headers.items() if value},
            encoded_body(body),
            {
                "provider": endpoint.provider,
                "protocol": endpoint.protocol.name,
                "model": endpoint.model,
                "dialect": dataclasses.asdict(endpoint.dialect),
            },
        )

    async def _judged(self, response: HttpResponse) -> AsyncIterator[list[StreamEvent]]:
        if not _is_good(response):
            yield self._fail(await self._http_failure(response))
            return
        chunks = response.chunks()
        content_type = response.headers.get("content-type", "")
        start = b""
        kind: BodyKind | None = None
        while kind is None:
            chunk = await anext(chunks, None)
            start += chunk or b""
            self._watch.arrived(self._clock.monotonic_s(), has_event=False)
            kind = sniff(content_type, start, is_whole=chunk is None)
        protocol, dialect = self._endpoint.protocol, self._endpoint.dialect
        decoder: StreamDecoder
        match kind:
            case BodyKind.EVENT_STREAM:
                decoder = protocol.stream_decoder(dialect)
            case BodyKind.JSON:
                decoder = protocol.body_decoder(dialect)
            case BodyKind.EMPTY:
                yield self._fail(empty_body(response))
                return
            case BodyKind.HTML | BodyKind.OTHER:
                yield self._fail(not_understood(response, kind, start))
                return
            case _:
                assert_never(kind)
        self._decoder = decoder
        async for batch in self._decoded(response, decoder, start, chunks, is_json=kind is BodyKind.JSON):
            yield batch

    async def _decoded(
        self,
        response: HttpResponse,
        decoder: StreamDecoder,
        start: bytes,
        chunks: AsyncIterator[bytes],
        *,
        is_json: bool,
    ) -> AsyncIterator[list[StreamEvent]]:
        response.pace(self._pace_s)
        received_bytes = 0
        chunk: bytes | None = start
        while chunk is not None:
            received_bytes += len(chunk)
            if received_bytes > MAX_BODY_BYTES:
                raise LimitExceeded(f"The answer is larger than {MAX_BODY_BYTES >> 20} MiB")
            for at in range(0, len(chunk), BATCH_BYTES):
                was_proven = decoder.has_proof
                events = decoder.feed(chunk[at : at + BATCH_BYTES] if len(chunk) > BATCH_BYTES else chunk)
                now_s = self._clock.monotonic_s()
                # A whole body has no events before its end; its bytes are what can be waited for.
                is_life = is_json and not chunk.isspace()
                has_event = any(not isinstance(event, UnknownEvent) for event in events)
                self._watch.arrived(now_s, has_event=has_event or is_life)
                if events:
                    self.has_event = True
                    self._characters += sum(
                        len(event.text) for event in events if isinstance(event, TextDelta)
                    )
                    yield events
                if decoder.is_finished:
                    yield self._final(decoder, None)
                    return
                if was_proven and any(isinstance(event, _SAID) for event in events):
                    self._watch.resumed(now_s)
                elif decoder.has_proof:
                    self._watch.proven(now_s)
                if at + BATCH_BYTES < len(chunk):
                    await asyncio.sleep(0)
            chunk = await anext(chunks, None)
        yield self._final(decoder, None)

    def _final(self, decoder: StreamDecoder, cut: Failure | None) -> list[StreamEvent]:
        self.has_ended = True
        events = decoder.close(None if cut is None else self._told(cut))
        if len(events) > 1:
            self.has_event = True
        can_retry = cut is not None and cut.is_retryable and not self.has_event
        return [
            replace(event, failure=self._told(event.failure, can_retry=can_retry))
            if isinstance(event, StreamFailed)
            else event
            for event in events
        ]

    def _fail(self, failure: Failure) -> list[StreamEvent]:
        self.has_ended = True
        return [StreamFailed(self._told(failure))]

    def _told(self, failure: Failure, *, can_retry: bool = False) -> Failure:
        """The failure with the request id, and without the key if the server repeated it."""
        request_id = failure.request_id
        if request_id is None and self._response is not None:
            headers = self._response.headers
            request_id = next((headers[name] for name in _REQUEST_ID_HEADERS if headers.get(name)), None)
        secrets = [self._endpoint.api_key or "", *secrets_of_url(self._url)]
        for _, value in self._endpoint.extra_headers:
            # `Bearer KEY`: a server repeats the whole value or the key alone.
            secrets += [value, value.rpartition(" ")[2]]
        return replace(
            failure,
            is_retryable=failure.is_retryable or can_retry,
            request_id=redact(request_id, secrets) if request_id else None,
            message=redact(failure.message, secrets),
            hint=redact(failure.hint, secrets),
            code=redact(failure.code, secrets),
        )

    async def _http_failure(self, response: HttpResponse) -> Failure:
        try:
            async for chunk in response.chunks():
                self._error_body += chunk
                self._watch.arrived(self._clock.monotonic_s(), has_event=False)
                if len(self._error_body) > MAX_ERROR_BODY_BYTES:
                    break
        except (ConnectionLost, WireError):
            # The status is known and says more than a body that broke.
            pass
        return self._status_failure(response)

    def _status_failure(self, response: HttpResponse) -> Failure:
        told = self._endpoint.protocol.http_failure(
            response.status, response.headers, bytes(self._error_body)
        )
        return status_failure(response, told)


def _is_good(response: HttpResponse) -> bool:
    return 200 <= response.status < 300
