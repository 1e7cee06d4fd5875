"""One choice of a Chat Completions response: where each field of a delta or message goes.

Invariant: a message says the same as its deltas, so both take the same way; text that comes twice under two
names is taken once; nothing is appended to a part that it does not belong to. Sources: OpenAI reference;
reasoning as DeepSeek (`reasoning_content`), OpenRouter (`reasoning`, `reasoning_details`), Mistral (content
parts of type thinking), Gemini (`extra_content.google.thought`), local servers (think tags) send it.
"""

from typing import Final

from chatui.core.attachments import image_at
from chatui.core.event_sink import EventSink, Growth
from chatui.core.events import (
    AudioDelta,
    CitationAdded,
    ImageReceived,
    LogprobsReceived,
    NoticeRaised,
    OpaqueReceived,
    PartKey,
)
from chatui.core.finish_words import is_word, reason_of, word_that_stays
from chatui.core.json_access import JsonObject, as_count, as_label, as_list, as_object, as_text, as_word
from chatui.core.messages import Citation
from chatui.core.tagged_text import TaggedText
from chatui.core.wire import Dialect
from chatui.protocols.chat_completions.cumulative import CumulativeText
from chatui.protocols.chat_completions.said import REASONING_FIELDS, plain_text, said_once
from chatui.protocols.chat_completions.tool_calls import ToolCalls

_TEXT_TYPES: Final = frozenset({"text", "output_text", "input_text", ""})
_REASONING_TYPES: Final = frozenset(
    {"thinking", "reasoning", "reasoning_text", "thought", "reasoning_content"}
)
_IMAGE_TYPES: Final = frozenset({"image_url", "image", "output_image"})


class ChoiceState:
    """One choice while it is received."""

    def __init__(self, index: int, sink: EventSink, dialect: Dialect) -> None:
        self.index = index
        self.finish_reason: str | None = None
        self.calls = ToolCalls(index, sink)
        self._sink = sink
        self._reasoning_key = PartKey(index, "reasoning")
        self._refusal_key = PartKey(index, "refusal")
        self._audio_key = PartKey(index, "audio")
        self._content = CumulativeText(dialect.has_cumulative_deltas)
        self._reasoning = CumulativeText(dialect.has_cumulative_deltas)
        self._tags = TaggedText(
            sink,
            PartKey(index, "text"),
            PartKey(index, "think"),
            PartKey(index, "answer"),
            has_tags=dialect.has_think_tags,
        )
        self._details: list[JsonObject] = []
        self._citations: dict[Citation, None] = {}
        self._images: set[int] = set()
        """Hashes of the addresses of pictures, which may be megabytes long."""
        self._has_refusal = False
        self._comes_as_messages = False
        self._held_count = 0

    @property
    def has_content(self) -> bool:
        """Something of an answer was received."""
        has_text = self._content.has_text or self._reasoning.has_text
        return has_text or bool(self.calls or self._images) or self._has_refusal

    def take(self, fields: JsonObject) -> None:
        """One entry of `choices`."""
        delta = fields.get("delta")
        if (
            isinstance(delta, dict)
            and len(delta) == 1
            and not (fields.get("finish_reason") or fields.get("logprobs"))
        ):
            # What nearly every chunk is.
            content = delta.get("content")
            if isinstance(content, str):
                self.add_content(content)
                return
        # The second name is that of Gemini's own API, which its compatible endpoint and some gateways let
        # through.
        word = as_text(fields.get("finish_reason")) or as_text(fields.get("finishReason"))
        is_finishing = is_word(word)
        source = as_object(delta)
        message = {} if source else as_object(fields.get("message"))
        if message and self.has_content and not self._comes_as_messages:
            self._take_missing(message)
        elif source or message:
            self._comes_as_messages = self._comes_as_messages or bool(message)
            self._take_source(source or message, is_finishing=is_finishing)
        elif not self._content.has_text or not isinstance(fields.get("message"), dict):
            self.add_content(as_text(fields.get("text")))
        logprobs = as_object(fields.get("logprobs"))
        entries = (*as_list(logprobs.get("content")), *as_list(logprobs.get("refusal")))
        if entries:
            self._sink.put(LogprobsReceived(self.index, entries))
        if is_finishing:
            self.finish_reason = word_that_stays(self.finish_reason, word)

    def add_content(self, text: str) -> None:
        """Text of `content`, which may hold reasoning in tags."""
        if text:
            self.add_contents([text])

    def add_contents(self, texts: list[str]) -> None:
        """Texts of `content`, in order."""
        texts = [text for text in texts if text]
        if new := self._content.feed_many(texts):
            self._tags.feed(new, len(texts) + self._held_count)
            self._held_count = 0
        else:
            self._held_count += len(texts)

    def add_reasoning(self, text: str) -> None:
        """Reasoning from a channel of its own."""
        if text:
            self.add_reasonings([text])

    def add_reasonings(self, texts: list[str]) -> None:
        """Texts of a reasoning channel, in order."""
        texts = [text for text in texts if text]
        if new := self._reasoning.feed_many(texts):
            self._tags.forbid_orphan()
            self._sink.grow(Growth.REASONING, self._reasoning_key, new, len(texts))

    def cite(self, citation: Citation) -> None:
        """A source for the answer; told at the end, when its text exists."""
        self._citations[citation] = None

    def wrap_up(self, *, is_whole: bool) -> None:
        """Give what was held back, and say which calls are whole."""
        if (rest := self._reasoning.close()) and rest:
            self._sink.grow(Growth.REASONING, self._reasoning_key, rest)
        if rest := self._content.close():
            self._tags.feed(rest, self._held_count)
        self._tags.close()
        if self._reasoning.has_text:
            self._tags.drop_repeat(self._reasoning.text)
        for citation in self._citations:
            self._sink.put(CitationAdded(self._tags.text_key, citation))
        if self._details:
            self._sink.put(OpaqueReceived(self._reasoning_key, {"reasoning_details": list(self._details)}))
        if is_whole and self.finish_reason is not None and reason_of(self.finish_reason) is None:
            self.calls.finish()

    def _take_source(self, source: JsonObject, *, is_finishing: bool) -> None:
        """A delta, or a whole message: they hold the same fields."""
        self._take_reasoning(source)
        content = source.get("content")
        google = as_object(as_object(source.get("extra_content")).get("google"))
        if isinstance(content, str):
            if google.get("thought") is True:
                self.add_reasoning(content.replace("<thought>", "").replace("</thought>", ""))
            elif not (is_finishing and self._content.is_repeat(content)):
                self.add_content(content)
        elif isinstance(content, int | float):
            # A gateway that takes a text of digits for a number.
            self.add_content(as_label(content))
        elif isinstance(content, list | dict):
            for part in content if isinstance(content, list) else [content]:
                self._take_content_part(part)
        self._take_refusal(as_text(source.get("refusal")))
        self._take_audio(as_object(source.get("audio")))
        self.calls.take_legacy(source.get("function_call"))
        self.calls.take(source.get("tool_calls"))
        self._take_extras(source)

    def _take_missing(self, message: JsonObject) -> None:
        """A whole message behind its deltas: only what they did not say."""
        if not self._reasoning.has_text:
            self._take_reasoning(message)
        content = message.get("content")
        if isinstance(content, str):
            if new := self._content.missing(content):
                self._tags.feed(new, 1)
        elif isinstance(content, list) and not self._content.has_text:
            for part in content:
                self._take_content_part(part)
        if not self._has_refusal:
            self._take_refusal(as_text(message.get("refusal")))
        if not self.calls:
            self.calls.take_legacy(message.get("function_call"))
            self.calls.take(message.get("tool_calls"))
        self._take_extras(message)

    def _take_extras(self, source: JsonObject) -> None:
        """What counts once, however often it is said."""
        for annotation in as_list(source.get("annotations")):
            self._take_annotation(as_object(annotation))
        for image in as_list(source.get("images")):
            self._take_image(as_object(image))

    def _take_reasoning(self, source: JsonObject) -> None:
        said = said_once([text for name in REASONING_FIELDS if (text := plain_text(source.get(name)))])
        details = as_list(source.get("reasoning_details"))
        for detail in details:
            fields = as_object(detail)
            if fields:
                self._keep_detail(fields)
                if not said:
                    self.add_reasoning(as_text(fields.get("text")) or as_text(fields.get("summary")))
        if said:
            self.add_reasoning(said)
        elif not details:
            for block in as_list(source.get("thinking_blocks")):
                self.add_reasoning(as_text(as_object(block).get("thinking")))

    def _keep_detail(self, fields: JsonObject) -> None:
        """Details go back as they came, pieces of one detail joined."""
        last = self._details[-1] if self._details else None
        if (
            last is not None
            and fields.get("index") is not None
            and last.get("index") == fields.get("index")
            and last.get("type") == fields.get("type")
        ):
            for name, value in fields.items():
                if name in {"text", "summary", "data"} and isinstance(value, str):
                    last[name] = as_text(last.get(name)) + value
                elif value is not None:
                    last[name] = value
        else:
            self._details.append(dict(fields))

    def _take_content_part(self, part: object) -> None:
        if isinstance(part, str):
            self.add_content(part)
            return
        fields = as_object(part)
        kind = as_text(fields.get("type"))
        if kind in _TEXT_TYPES:
            self.add_content(plain_text(fields.get("text")))
        elif kind in _REASONING_TYPES:
            self.add_reasoning(
                plain_text(fields.get("thinking") or fields.get("reasoning") or fields.get("text"))
            )
        elif kind == "refusal":
            self._take_refusal(as_text(fields.get("refusal")))
        elif kind in _IMAGE_TYPES:
            self._take_image(fields)

    def _take_image(self, fields: JsonObject) -> None:
        """A picture of the answer; servers that send it again with the whole message mean the same one."""
        held = fields.get("image_url")
        address = as_text(as_object(held).get("url")) or as_text(held) or as_text(fields.get("url"))
        if not address:
            self._sink.put(NoticeRaised("The answer holds an image in a form that is not known here."))
        elif hash(address) not in self._images:
            self._images.add(hash(address))
            key = PartKey(self.index, f"image {len(self._images)}")
            self._sink.put(ImageReceived(key, image_at(address)))

    def _take_refusal(self, text: str) -> None:
        if text:
            self._has_refusal = True
            self._sink.grow(Growth.REFUSAL, self._refusal_key, text)

    def _take_audio(self, audio: JsonObject) -> None:
        if audio:
            transcript = as_text(audio.get("transcript"))
            self._sink.put(
                AudioDelta(
                    self._audio_key,
                    as_word(audio.get("id")),
                    transcript,
                    as_text(audio.get("data")),
                    as_count(audio.get("expires_at")),
                )
            )
            self._sink.characters += len(transcript)

    def _take_annotation(self, annotation: JsonObject) -> None:
        source = as_object(annotation.get("url_citation")) or annotation
        url = as_text(source.get("url"))
        if url:
            self.cite(Citation(as_text(source.get("title")) or url, url, as_text(source.get("content"))))
