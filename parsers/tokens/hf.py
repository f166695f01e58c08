"""Tokenizers of real models: from the hub, a local folder, or a `tokenizer.json`.

Turns a source, as a user types it, into a `Tokenizer`. A `tokenizer.json` is read without transformers. Code
that a repository carries is never run, and nothing is requested from the network unless the source is a hub
name.

Source: card 00 (C0-01: `tokenizer`), card 06 (T-09, T-10).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from parsers.errors import TokenizerError
from parsers.tokens.base import Tokenizer, clean_text

if TYPE_CHECKING:
    import tokenizers
    import transformers

TOKENIZER_FILE = "tokenizer.json"
SETTINGS_FILE = "tokenizer_config.json"
TEMPLATE_FILE = "chat_template.jinja"
LARGEST_FILE = 100 * 1024 * 1024
"""Bytes of a `tokenizer.json`; the largest in use are about 35 MB."""

_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?(?<!\.json)")


def load(source: str) -> Tokenizer:
    """Return the tokenizer that `source` names.

    Args:
        source: a path to a `tokenizer.json`, a folder with tokenizer files, or a hub name like `org/model`.

    Raises:
        TokenizerError: nothing there, not a tokenizer, too large, offline, or one that needs code of its own.
            Says which, and what to do.
    """
    path = Path(source).expanduser()
    if path.is_dir() and (path / TOKENIZER_FILE).is_file():
        return load_file(path / TOKENIZER_FILE)
    if path.is_file():
        return load_file(path)
    if path.is_dir():
        return _load_pretrained(str(path), local=True)
    if not _HUB_NAME.fullmatch(source):
        raise TokenizerError(
            f"There is nothing at {source!r}; give a tokenizer.json, its folder or a hub name."
        )
    return _load_pretrained(source, local=False)


def load_file(path: Path) -> LibraryTokenizer:
    """Return the tokenizer of one `tokenizer.json`, remembered until the file changes.

    Raises:
        TokenizerError: not such a file, or larger than `LARGEST_FILE`.
    """
    status = path.stat()
    if status.st_size > LARGEST_FILE:
        megabytes = LARGEST_FILE >> 20
        raise TokenizerError(
            f"The tokenizer file {str(path)!r} is larger than {megabytes} MB; give a smaller one."
        )
    return _read(path, status.st_mtime_ns)


class LibraryTokenizer:
    """A `Tokenizer` over one of the `tokenizers` library.

    Attributes:
        settings: entries of the tokenizer's configuration file, by name; empty without one.
    """

    def __init__(
        self,
        name: str,
        library: tokenizers.Tokenizer,
        special: frozenset[str] = frozenset(),
        settings: Mapping[str, object] | None = None,
    ) -> None:
        # A file may carry the settings of its training, which would cut or pad what is encoded here.
        library.no_truncation()
        library.no_padding()
        added = library.get_added_tokens_decoder().values()
        self.name = name
        self.settings: Mapping[str, object] = settings or {}
        self.vocab: Mapping[str, int] = library.get_vocab(with_added_tokens=True)
        self.special_tokens = special | {token.content for token in added if token.special}
        self._library = library
        self._size = max(self.vocab.values(), default=-1) + 1

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, with no token added at either end."""
        # The batch form skips the offsets, which nobody reads here.
        [encoding] = self._library.encode_batch_fast([clean_text(text)], add_special_tokens=False)
        return list(encoding.ids)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`; an id outside the vocabulary has no text (card T-07)."""
        known = [token_id for token_id in ids if 0 <= token_id < self._size]
        return str(self._library.decode(known, skip_special_tokens=False))

    def token_text(self, token_id: int) -> str:
        r"""Return the text of one token alone, with "\ufffd" where it is part of a character."""
        return self.decode((token_id,))


class PythonTokenizer:
    """A `Tokenizer` over one that transformers runs in Python, without the `tokenizers` library."""

    def __init__(self, name: str, pretrained: transformers.PreTrainedTokenizerBase) -> None:
        self.name = name
        self.settings = _pretrained_settings(pretrained)
        self.vocab: Mapping[str, int] = pretrained.get_vocab()
        self.special_tokens = frozenset(pretrained.all_special_tokens)
        self._pretrained = pretrained
        self._known = frozenset(self.vocab.values())

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, with no token added at either end."""
        return list(self._pretrained.encode(clean_text(text), add_special_tokens=False))

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`, with no space put between special tokens (card T-09)."""
        known = [token_id for token_id in ids if token_id in self._known]
        text = self._pretrained.decode(
            known,
            skip_special_tokens=False,
            clean_up_tokenization_spaces=False,
            spaces_between_special_tokens=False,
        )
        return str(text)

    def token_text(self, token_id: int) -> str:
        r"""Return the text of one token alone, with "\ufffd" where it is part of a character."""
        return self.decode((token_id,))


@lru_cache(maxsize=4)
def _read(path: Path, _modified: int) -> LibraryTokenizer:
    from tokenizers import Tokenizer as FromFile

    try:
        library = FromFile.from_file(str(path))
    except Exception as error:  # the library raises bare Exception for a file it cannot read
        raise TokenizerError(
            f"{str(path)!r} is not a tokenizer.json ({error}); give another file."
        ) from error
    return LibraryTokenizer(str(path), library, settings=_settings_beside(path))


def _settings_beside(path: Path) -> Mapping[str, object]:
    """The configuration in the tokenizer's folder; a template file there wins over the entry (template-study.md)."""
    settings: dict[str, object] = {}
    config, template = path.with_name(SETTINGS_FILE), path.with_name(TEMPLATE_FILE)
    if config.is_file() and config.stat().st_size <= LARGEST_FILE:
        try:
            found = json.loads(config.read_text(encoding="utf-8"))
        except ValueError as error:
            raise TokenizerError(f"{str(config)!r} is not JSON ({error}); correct it or take it away.") from error
        settings = found if isinstance(found, dict) else {}
    if template.is_file() and template.stat().st_size <= LARGEST_FILE:
        settings["chat_template"] = template.read_text(encoding="utf-8", errors="replace")
    return settings


def _pretrained_settings(pretrained: transformers.PreTrainedTokenizerBase) -> Mapping[str, object]:
    settings: dict[str, object] = dict(pretrained.init_kwargs)
    if pretrained.chat_template is not None:
        settings["chat_template"] = pretrained.chat_template
    return settings


@lru_cache(maxsize=4)
def _load_pretrained(source: str, local: bool) -> Tokenizer:
    import transformers

    try:
        pretrained = transformers.AutoTokenizer.from_pretrained(
            source, trust_remote_code=False, local_files_only=local
        )
    except OSError as error:
        raise TokenizerError(_unusable_folder(source) if local else _not_found(source)) from error
    except (ValueError, ImportError, KeyError) as error:
        raise TokenizerError(_unusable_folder(source) if local else _needs_code(source)) from error
    return _wrap(source, pretrained)


def _wrap(source: str, pretrained: transformers.PreTrainedTokenizerBase) -> Tokenizer:
    from transformers import PreTrainedTokenizerFast

    if isinstance(pretrained, PreTrainedTokenizerFast):
        special = frozenset(pretrained.all_special_tokens)
        settings = _pretrained_settings(pretrained)
        return LibraryTokenizer(source, pretrained.backend_tokenizer, special, settings)
    return PythonTokenizer(source, pretrained)


def _unusable_folder(source: str) -> str:
    return f"The folder {source!r} holds no tokenizer that can be read; give one with a {TOKENIZER_FILE}."


def _needs_code(source: str) -> str:
    return (
        f"The tokenizer {source!r} needs code or packages of its own, which are never run or installed; "
        f"give the path of a {TOKENIZER_FILE}."
    )


def _not_found(source: str) -> str:
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return (
            f"The tokenizer {source!r} is not in the local cache and the hub is switched off "
            f"(HF_HUB_OFFLINE); give the path of a {TOKENIZER_FILE}."
        )
    return (
        f"The hub has no tokenizer {source!r} that can be had from here (a wrong name, a private model or no "
        f"connection); check the name or give the path of a {TOKENIZER_FILE}."
    )
