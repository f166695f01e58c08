"""A source -> the chat templates in it, with what is known of their tokenizer.

    pasted text                 a template, or the JSON of a tokenizer_config.json
    FILE.jinja, FILE.json       the same from a file
    a model's folder            chat_template.jinja beats the field in chat_template.json, and that the one in
                                tokenizer_config.json; additional ones beside it
    any other folder            every *.jinja below it
    a hub name                  the same files from the hub

A configuration may hold several named templates; with tools in the request `tool_use` is the one used. Source:
template-study.md section 5, points 13 and 14.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from parsers.errors import ParserscopeError

CONFIG_FILE = "tokenizer_config.json"
TEMPLATE_FILE = "chat_template.jinja"
PROCESSOR_FILE = "chat_template.json"
"""Where older models that take images keep it."""
TOKENIZER_FILE = "tokenizer.json"
MORE_TEMPLATES = "additional_chat_templates"
LARGEST_SOURCE = 5_000_000
"""Bytes of a template or configuration; real ones have at most a few hundred thousand."""

_HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")


class TemplateError(ParserscopeError):
    """A source without a chat template that can be read."""


@dataclass(frozen=True)
class NamedTemplate:
    """One chat template.

    Attributes:
        label: how results call it: the source, and the template's own name where it has one.
        text: Jinja source.
        name: "default", "tool_use", …
        token_variables: `bos_token` and the like, where a configuration defines them.
        vocabulary: token texts; None when no tokenizer.json came with it.
        settings: the tokenizer's configuration.
    """

    label: str
    text: str
    name: str = "default"
    token_variables: Mapping[str, str] = field(default_factory=dict)
    vocabulary: frozenset[str] | None = None
    settings: Mapping[str, object] = field(default_factory=dict)


def read_source(source: str) -> list[NamedTemplate]:
    """Return the templates at a path or hub name, the one a request with tools uses first.

    Raises:
        TemplateError: nothing there, or nothing in it that is a chat template.
    """
    path = Path(source).expanduser()
    if path.is_dir():
        return _read_folder(path, source)
    if path.is_file():
        return read_text(_text(path), source)
    if _HUB_NAME.fullmatch(source):
        return _read_folder(_from_hub(source), source)
    raise TemplateError(f"There is nothing at {source!r}; give a template, its folder or a hub name like org/model.")


def read_text(text: str, label: str = "pasted template") -> list[NamedTemplate]:
    """Return the templates in a text: Jinja, or the JSON of a configuration.

    Raises:
        TemplateError: empty, or JSON without a chat template.
    """
    if not text.strip():
        raise TemplateError(f"The {label} is empty; give a Jinja template or a {CONFIG_FILE}.")
    settings = _json_object(text)
    if settings is None:
        return [NamedTemplate(label, text)]
    templates = _templates_of(settings)
    if not templates:
        raise TemplateError(f"{label} has no chat_template; give a {CONFIG_FILE} that has one or a {TEMPLATE_FILE}.")
    return _labelled(label, templates, settings, None)


def judged(templates: Iterable[NamedTemplate]) -> NamedTemplate:
    """The template that a request with tools uses."""
    templates = list(templates)
    return next((template for template in templates if template.name == "tool_use"), templates[0])


def _read_folder(folder: Path, label: str) -> list[NamedTemplate]:
    config, template = folder / CONFIG_FILE, folder / TEMPLATE_FILE
    settings = _json_file(config)
    templates = {**_templates_of(settings), **_templates_of(_json_file(folder / PROCESSOR_FILE))}
    if template.is_file():
        templates = {**templates, "default": _text(template)}
    for extra in sorted((folder / MORE_TEMPLATES).glob("*.jinja")):
        templates[extra.stem] = _text(extra)
    if templates:
        return _labelled(label, templates, settings, _vocabulary(folder / TOKENIZER_FILE))
    files = sorted(folder.rglob("*.jinja"))
    if not files:
        raise TemplateError(f"The folder {label!r} holds no chat template: no {TEMPLATE_FILE} or other *.jinja file.")
    return [NamedTemplate(file.relative_to(folder).as_posix(), _text(file)) for file in files]


def _labelled(
    label: str, templates: Mapping[str, str], settings: Mapping[str, object], vocabulary: frozenset[str] | None
) -> list[NamedTemplate]:
    tokens = _token_variables(settings)
    many = len(templates) > 1
    return [
        NamedTemplate(f"{label} [{name}]" if many else label, text, name, tokens, vocabulary, settings)
        for name, text in sorted(templates.items(), key=lambda item: item[0] != "tool_use")
    ]


def _templates_of(settings: Mapping[str, object]) -> dict[str, str]:
    """Template name -> text; the field is a text, a list of named ones, or an object of them."""
    found = settings.get("chat_template")
    if isinstance(found, str):
        return {"default": found}
    if isinstance(found, dict):
        return {str(name): text for name, text in found.items() if isinstance(text, str)}
    if not isinstance(found, list):
        return {}
    named = (item for item in found if isinstance(item, dict))
    return {str(item["name"]): str(item["template"]) for item in named if item.keys() >= {"name", "template"}}


def _token_variables(settings: Mapping[str, object]) -> dict[str, str]:
    """Token variables, a model's own included; a token is a text or an object with its content."""
    more = settings.get("extra_special_tokens")
    tokens = {**settings, **(more if isinstance(more, dict) else {})}
    found = {}
    for name, value in tokens.items():
        content = value.get("content") if isinstance(value, dict) else value
        if name.endswith("_token") and isinstance(content, str):
            found[name] = content
    return found


def _vocabulary(file: Path) -> frozenset[str] | None:
    """Token texts of a tokenizer.json; None when it is not there."""
    from parsers.tokens.hf import load_file

    return frozenset(load_file(file).vocab) if file.is_file() else None


def _json_file(file: Path) -> dict[str, object]:
    """The object in a file; empty where there is no file or no object in it."""
    return _json_object(_text(file)) or {} if file.is_file() else {}


def _json_object(text: str) -> dict[str, object] | None:
    """The object that a text is as JSON; None for anything else, such as Jinja."""
    if not text.lstrip().startswith("{") or text.lstrip().startswith(("{{", "{%", "{#")):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_SOURCE:
            raise TemplateError(f"{path} is larger than {LARGEST_SOURCE // 1_000_000} MB; that is no chat template.")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise TemplateError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise TemplateError(f"{path} is not UTF-8 text (byte {error.start}).") from error


@lru_cache(maxsize=8)
def _from_hub(name: str) -> Path:
    """The local folder with the hub's template files; fetched once."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError

    wanted = [CONFIG_FILE, TEMPLATE_FILE, PROCESSOR_FILE, TOKENIZER_FILE, f"{MORE_TEMPLATES}/*"]
    try:
        return Path(snapshot_download(name, allow_patterns=wanted))
    except (RepositoryNotFoundError, LocalEntryNotFoundError, HfHubHTTPError, OSError) as error:
        raise TemplateError(
            f"The hub has no {name!r} that can be had from here (a wrong name, a private model or no connection); "
            f"check the name or give its {CONFIG_FILE}."
        ) from error
