"""A chat template and messages -> the text transformers would send to the model, or why there is none.

A template runs in a process of its own (`worker`), kept warm; a busy loop is ended with it. Laws: a template never
raises here, its exception is data; a template that was stopped once is not run again by the same `Renderer`.

Source: template-study.md section 5, points 6, 15 and 16.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from parsers.errors import ParserscopeError
from parsers.templates.worker import READY

SECONDS = 3.0
"""Longest one render may take; common ones take a few milliseconds."""
SECONDS_IN_ALL = 15.0
"""Longest all renders of one template may take."""
SECONDS_TO_START = 60.0

Message = Mapping[str, object]
TOKEN_VARIABLES = ("bos", "eos", "pad", "unk", "cls", "sep", "mask")
PLAIN_TOKENS: Mapping[str, str] = {f"{name}_token": f"<|{name}_token|>" for name in TOKEN_VARIABLES}
"""Token variables of a template whose tokenizer is unknown: spellings no model uses, so they prove nothing."""


class RendererError(ParserscopeError):
    """The rendering process cannot be started."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """What came of one render.

    Attributes:
        text: the prompt, None when there is none.
        error: the template's own complaint or the limit it broke, "" when it rendered.
    """

    text: str | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """What the syntax tree of a template says, comments apart.

    Attributes:
        variables: names the template reads and does not set.
        printed: literal texts that can reach the output.
        compared: literal texts that only tests and string methods see.
        error: why there is no tree, "" when there is one.
    """

    variables: frozenset[str] = frozenset()
    printed: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    error: str = ""


class Renderer:
    """One template, ready to be rendered many times.

    Args:
        template: Jinja source.
        tokens: token variables (`bos_token` …) the tokenizer defines.

    Attributes:
        stopped: which limit the template broke, "" while it keeps to them.
    """

    def __init__(self, template: str, tokens: Mapping[str, str] | None = None) -> None:
        self.template, self.tokens = template, tokens or {}
        self.stopped = ""
        self._spent = 0.0

    def render(
        self,
        messages: Sequence[Message],
        tools: Sequence[Message] = (),
        generation_prompt: bool = False,
        arguments: Mapping[str, object] | None = None,
    ) -> Rendering:
        """Render a conversation.

        Args:
            messages: as a request has them.
            tools: function tools of the request; none means the variable is None, as a server passes it.
            generation_prompt: end with what makes the model answer.
            arguments: template arguments such as `enable_thinking`.

        Raises:
            RendererError: transformers is missing or cannot be loaded.
        """
        variables = {
            **PLAIN_TOKENS,
            **self.tokens,
            **(arguments or {}),
            "messages": messages,
            "tools": list(tools) or None,
            "add_generation_prompt": generation_prompt,
        }
        answer = self._ask({"template": self.template, "variables": variables})
        text = answer.get("text")
        return Rendering(text if isinstance(text, str) else None, str(answer.get("error", "")))

    def source(self) -> Source:
        """Look at the template without running it."""
        answer = self._ask({"template": self.template})
        if "error" in answer:
            return Source(error=str(answer["error"]))
        texts = {key: tuple(map(str, value)) for key, value in answer.items() if isinstance(value, list)}
        return Source(frozenset(texts["variables"]), texts["printed"], texts["compared"])

    def _ask(self, request: Mapping[str, object]) -> Mapping[str, object]:
        if self.stopped:
            return {"error": self.stopped}
        answer, seconds = _process().ask(json.dumps(request))
        self._spent += seconds
        if answer is None:
            self.stopped = f"The template ran longer than {SECONDS:g} seconds or ended its process; it was stopped."
        elif "stopped" in answer:
            self.stopped = str(answer["stopped"])
        elif self._spent > SECONDS_IN_ALL:
            self.stopped = f"The template took more than {SECONDS_IN_ALL:g} seconds in all and was stopped."
        return {"error": self.stopped} if answer is None or "stopped" in answer else answer


class RenderProcess:
    """The worker; started when first needed and again after it had to be ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._ready = False
        self._lock = threading.Lock()

    def ask(self, request: str) -> tuple[Mapping[str, object] | None, float]:
        """Send one request.

        Returns:
            The answer, None when there was none in time, which ends the process; and the seconds it took.
        """
        with self._lock:
            process = self._running()
            start = time.monotonic()
            line = _exchange(process, request, SECONDS)
            seconds = time.monotonic() - start
            if not line:
                self.close()
        return json.loads(line) if line else None, seconds

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def start(self) -> None:
        """Begin to start the process, which takes a second or two; the first request waits for it."""
        with self._lock:
            self._launched()

    def _launched(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process, self._ready = _launch(), False
        return self._process

    def _running(self) -> subprocess.Popen[str]:
        process = self._launched()
        if not self._ready and _exchange(process, "", SECONDS_TO_START).strip() != READY:
            self.close()
            raise RendererError("Templates cannot be rendered: transformers does not load; reinstall it.")
        self._ready = True
        return process


def _launch() -> subprocess.Popen[str]:
    home = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-m", "parsers.templates.worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": paths, "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip


def _exchange(process: subprocess.Popen[str], request: str, seconds: float) -> str:
    """Send a line, if any, and read one; "" when the process ended, which it does when time is up."""
    assert process.stdin is not None
    assert process.stdout is not None
    watchdog = threading.Timer(seconds, process.kill)
    watchdog.start()
    try:
        if request:
            process.stdin.write(request + "\n")
            process.stdin.flush()
        return process.stdout.readline()
    except BrokenPipeError:
        return ""
    finally:
        watchdog.cancel()


def warm_up() -> None:
    """Begin to start the rendering process, so that it is ready when it is needed."""
    _process().start()


@lru_cache(maxsize=1)
def _process() -> RenderProcess:
    return RenderProcess()
