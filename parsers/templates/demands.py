"""What a template insists on before it renders a conversation at all -> conversations that give it that.

Some raise unless a system message comes first, some read content only as a list of parts, some need a variable of their
own. What is demanded is found by trying, cheapest first; a template that takes a plain user turn demands nothing.

Source: template-study.md section 3 (templates that never render) and section 5, point 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from parsers.templates.ladder import QUESTION, TOOLS, system, user
from parsers.templates.render import PLAIN_TOKENS, Message, Renderer, Rendering

_GIVEN = frozenset(PLAIN_TOKENS) | {
    "messages", "tools", "documents", "add_generation_prompt",
    "raise_exception", "strftime_now", "namespace", "range", "dict", "lipsum", "cycler", "joiner",
}  # fmt: skip
"""Variables that every template gets."""


@dataclass(frozen=True, slots=True)
class Demands:
    """What every conversation must have.

    Attributes:
        words: the same for people, to follow "only with"; "" when there is none.
        system_first: a system message in front.
        parts: content as a list of parts.
        variables: further template arguments.
    """

    words: str = ""
    system_first: bool = False
    parts: bool = False
    variables: Mapping[str, object] = field(default_factory=dict)

    def met(self, messages: Sequence[Message]) -> list[Message]:
        """The conversation as the template wants it."""
        first = [system()] if self.system_first and messages[0]["role"] != "system" else []
        whole = [*first, *messages]
        return [_in_parts(message) for message in whole] if self.parts else whole


NO_DEMANDS = Demands()


class CompliantRenderer(Renderer):
    """A renderer that gives its template what it demands.

    Attributes:
        demands: what `comply` found.
        complaint: what the template says without it.
    """

    demands = NO_DEMANDS
    complaint = ""

    def comply(self, variables: frozenset[str]) -> None:
        """Find out what the template demands.

        Args:
            variables: names it reads.
        """
        plain = self._user_turns()
        if any(map(_shows_question, plain)):
            return
        for demands in _possible(variables - _GIVEN):
            self.demands = demands
            if any(map(_shows_question, self._user_turns())):
                self.complaint = plain[0].error or "The user's text is dropped."
                return
        self.demands = NO_DEMANDS

    def render(
        self,
        messages: Sequence[Message],
        tools: Sequence[Message] = (),
        generation_prompt: bool = False,
        arguments: Mapping[str, object] | None = None,
    ) -> Rendering:
        """Render a conversation with what is demanded."""
        given = {**self.demands.variables, **(arguments or {})}
        return super().render(self.demands.met(messages), tools, generation_prompt, given)

    def _user_turns(self) -> list[Rendering]:
        return [self.render([user()], tools, True) for tools in (TOOLS, ())]


def _shows_question(rendering: Rendering) -> bool:
    return QUESTION in (rendering.text or "")


def _possible(unknown: frozenset[str]) -> Iterator[Demands]:
    yield Demands("content as a list of parts", parts=True)
    yield Demands("a system message first", system_first=True)
    yield Demands("a system message first and content as a list of parts", system_first=True, parts=True)
    yield Demands("a list of documents", variables={"documents": []})
    if unknown:
        names = sorted(unknown)
        yield Demands(f"its own variables ({', '.join(names)})", variables=dict.fromkeys(names, ""))


def _in_parts(message: Message) -> Message:
    content = message.get("content")
    return {**message, "content": [{"type": "text", "text": content}]} if isinstance(content, str) else message
