"""Which finish reason a client is told, given what the engine reported and whether calls were sent.

Source: card 01 (P-30, P-31).
"""

from __future__ import annotations

from parsers.protocol import ChatRequest, FinishReason, NamedToolChoice


def client_finish_reason(engine_reason: FinishReason | None, request: ChatRequest, called: bool) -> FinishReason:
    """Return the finish reason a client receives.

    Only a plain "stop" becomes "tool_calls": after "length" the last call may be cut, which the client must
    be able to tell, and a request that forced one function knows it was called.

    Args:
        engine_reason: what the inference engine reported; None counts as "stop".
        request: the request being answered.
        called: whether the client received calls: a kept delta with calls, or a non-empty list (P-31).
    """
    reason = engine_reason or "stop"
    forced = isinstance(request.tool_choice, NamedToolChoice)
    return "tool_calls" if called and reason == "stop" and not forced else reason
