"""The list of models that a server gives at `GET /models`, in any of the shapes that servers use.

Invariant: an entry without an id is left out, a fact of the wrong type is unknown; order is the server's own.
Sources: model list references of OpenAI, Anthropic, Mistral, OpenRouter, Groq, Together, LM Studio, Ollama;
recordings of llama.cpp's server.
"""

from typing import Final

from chatui.core.errors import WireError
from chatui.core.json_access import BadJson, JsonObject, as_count, as_list, as_object, as_text, parse_json
from chatui.core.values import frozen

MAX_MODELS: Final = 20_000

_WINDOW_NAMES: Final = (
    "context_window",
    "context_length",
    "max_context_length",
    "max_model_len",
    "max_input_tokens",
    "loaded_context_length",
    "inputTokenLimit",
)


@frozen(kw_only=True)
class ListedModel:
    """A model as its server describes it; raw text of the wire."""

    model_id: str
    title: str = ""
    owner: str = ""
    context_window_tokens: int | None = None
    created_at_epoch_s: int | None = None


def parse_model_list(body: bytes) -> tuple[ListedModel, ...]:
    """The models of a response body.

    Raises:
        WireError: it is no list of models.
    """
    try:
        value = parse_json(body.decode("utf-8", "replace"))
    except BadJson as problem:
        raise WireError("The server's list of models is no JSON") from problem
    top = as_object(value)
    entries: object = value
    for name in ("data", "models"):
        if isinstance(top.get(name), list):
            entries = top[name]
            break
    if not isinstance(entries, list):
        raise WireError("The server's answer is no list of models")
    found: dict[str, ListedModel] = {}
    for entry in as_list(entries)[:MAX_MODELS]:
        model = _model(as_object(entry)) if not isinstance(entry, str) else ListedModel(model_id=entry)
        if model.model_id:
            found.setdefault(model.model_id, model)
    return tuple(found.values())


def _model(entry: JsonObject) -> ListedModel:
    model_id = as_text(entry.get("id")) or as_text(entry.get("model")) or as_text(entry.get("name"))
    title = as_text(entry.get("display_name")) or as_text(entry.get("name"))
    return ListedModel(
        # Gemini's compatible endpoint writes `models/NAME`, and takes NAME.
        model_id=model_id.removeprefix("models/"),
        title="" if title == model_id else title,
        owner=as_text(entry.get("owned_by")) or as_text(entry.get("organization")),
        context_window_tokens=_window(entry),
        created_at_epoch_s=as_count(entry.get("created")) or None,
    )


def _window(entry: JsonObject) -> int | None:
    for name in _WINDOW_NAMES:
        tokens = as_count(entry.get(name))
        if tokens:
            return tokens
    meta = as_object(entry.get("meta"))
    return as_count(meta.get("n_ctx")) or as_count(meta.get("n_ctx_train")) or None
