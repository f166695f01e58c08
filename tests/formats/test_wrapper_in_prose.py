"""The wrapper tag of tagged functions around something else: prose, JSON, or nothing more (qwen3-xml.md "Recovery")."""

import pytest

from parsers.tokens.base import Delta
from tests.every_cut import Fields, Setup, everywhere, run

SETUP = Setup(
    "qwen3",
    "qwen3_coder",
    {"ping": {"host": {"type": "string"}}},
    prompt="<|im_start|>assistant\n<think>\n\n</think>\n\n",
)
PING = "<tool_call>\n<function=ping>\n<parameter=host>\ndb1\n</parameter>\n</function>\n</tool_call>"


JSON_PING = '<tool_call>{"name": "ping", "arguments": {"host": "</tool_call>"}}</tool_call>'
NO_JSON = "<tool_call>{host: db1}</tool_call>"
# what it is: (output, content, hosts that are pinged)
OUTPUTS = {
    "prose, then a call": (f"I emit `<tool_call>` now.\n\n{PING}", "I emit `<tool_call>` now.", ["db1"]),
    "prose between both tags": ("a <tool_call>b</tool_call> c", "a <tool_call>b</tool_call> c", []),
    "JSON call": (f"{JSON_PING}!", "!", ["</tool_call>"]),
    "neither JSON nor a function": (NO_JSON, NO_JSON, []),
    "empty wrapper": (f"{PING}\n<tool_call></tool_call>", None, ["db1"]),
    "output cut behind the tag": ("hi <tool_call>\n", "hi", []),
    "output cut inside the next marker": ("hi <tool_call>\n<func", "hi", []),
}


@pytest.mark.parametrize(("text", "content", "hosts"), OUTPUTS.values(), ids=OUTPUTS)
def test_wrapper_around_something_else(text, content, hosts):
    expected = Fields(None, content, tuple(("ping", {"host": host}) for host in hosts))
    assert everywhere(SETUP, text) == expected


def test_closer_cut_by_the_end_is_markup_without_ids():
    """As text a cut closer is the beginning of a marker; ordinary tokens that spell one are text (E-22)."""
    setup = Setup(None, "hermes", {"ping": {}})
    text = '<tool_call>{"name": "ping"}\n</tool_ca'
    assert everywhere(setup, text, text_only=False).content == "</tool_ca"
    with_text = [Delta(text, finished=True)]
    assert run(setup, None, with_text).content is None
