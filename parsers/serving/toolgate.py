"""Whether the calls a parser found reach the client.

Source: card 01 (P-24, P-25).
"""

from __future__ import annotations

from parsers.protocol import ChatRequest, NamedToolChoice


def keeps_tool_calls(request: ChatRequest, auto_tools: bool = True) -> bool:
    """Tell whether calls are kept for a request; dropped calls leave the text around them.

    "none" and an explicit null drop them, "required" and a named function keep them. "auto" keeps them when the
    server allows the auto choice and the request offers tools. A request that says nothing about tools at all, as
    when only an output is known, keeps what the parser found.

    Args:
        request: the request being answered.
        auto_tools: the server was started with the auto tool choice switched on.
    """
    choice = request.tool_choice
    if choice == "required" or isinstance(choice, NamedToolChoice):
        return True
    if request.tools is None and "tool_choice" not in request.model_fields_set:
        return True
    return choice == "auto" and auto_tools and bool(request.tools)
