"""Builders of tools and requests for the tests of structured output."""

from parsers.protocol import ChatRequest, FunctionDefinition, FunctionTool, NamedFunction, NamedToolChoice

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def tool(name="weather", parameters=CITY, strict=None):
    return FunctionTool(function=FunctionDefinition(name=name, parameters=parameters, strict=strict))


def named(name="weather"):
    return NamedToolChoice(function=NamedFunction(name=name))


WEATHER = tool()


def chat(choice="auto", tools=(WEATHER,), **fields):
    return ChatRequest(tools=list(tools), tool_choice=choice, **fields)
