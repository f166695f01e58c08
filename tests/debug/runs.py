"""Settings that the tests of the debug package run, one for each kind of thing a trace can show."""

from parsers.debug.session import RunSettings

TOOLS = """[
  {"name": "book", "parameters": {"type": "object", "properties": {
    "city": {"type": "string"}, "seats": {"type": "integer"}, "when": {"type": "object"}}}},
  {"name": "ping", "parameters": {"type": "object", "properties": {}}}
]"""
XML_CALL = (
    "<tool_call>\n<function=book>\n<parameter=city>\nSão \"Paulo\"\n</parameter>\n<parameter=seats>\n2\n</parameter>\n"
    "</function>\n</tool_call>"
)
JSON_CALL = '<tool_call>\n{"name": "book", "arguments": {"city": "東京 \U0001f5fc", "seats": 2}}\n</tool_call>'

XML = RunSettings(f"hm \U0001f327\n</think>\n\nok {XML_CALL}", "qwen3", "qwen3_xml", tools_json=TOOLS)
JSON = RunSettings(f"hm</think>ok\n{JSON_CALL}\n{JSON_CALL}", "qwen3", "hermes", tools_json=TOOLS)
TEXT_ONLY = RunSettings(XML.raw_output, "qwen3", "qwen3_xml", tools_json=TOOLS, cuts="char:0", text_only=True)
ON_CLOSE = RunSettings(XML.raw_output, "qwen3", "qwen3_xml", tools_json=TOOLS, call_commit="on_close")
ONE = RunSettings(XML.raw_output, "qwen3", "qwen3_xml", tools_json=TOOLS, cuts="one")
CUT_OFF = RunSettings(JSON.raw_output, "qwen3", "hermes", tools_json=TOOLS, max_tokens=40)
STOPPED = RunSettings("hm</think>one two three", "qwen3", stop=("three",))
SKIPPED = RunSettings("hm</think>ok<|im_end|>", "qwen3", "hermes", skip_special_tokens=True)
GIVEN_BACK = RunSettings("a</think>see <tool_call> there", "qwen3", "hermes")
REPEATED = RunSettings(
    "a</think><tool_call><function=book><parameter=city>A</parameter><parameter=city>B</parameter></function></tool_call>",
    "qwen3",
    "qwen3_xml",
    tools_json=TOOLS,
)
HARMONY = RunSettings(
    "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.book "
    '<|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
    "openai_gptoss",
    "openai",
    tools_json=TOOLS,
)
PYTHONIC = RunSettings('[book(city="Oslo", seats=2), ping()]', None, "pythonic", tools_json=TOOLS)
LLAMA = RunSettings('<|python_tag|>{"name": "book", "parameters": {"city": "Oslo"}}', None, "llama3_json")
PLAIN = RunSettings("no parser at all")
EMPTY = RunSettings("", "qwen3", "hermes")

RUNS = {name.lower(): value for name, value in list(globals().items()) if isinstance(value, RunSettings)}
