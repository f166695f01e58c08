"""Any reasoning name with any tool name: one table, and a whole turn (thinking, text, two calls) under several cuts.

The texts are written here once for each grammar, so a name is right when it reads what its models write whatever its
partner is. Pairs that cannot go together say why. Source: design.md decision 2, INDEX-2 feature 20.
"""

import pytest

from parsers.engine.lint import lint
from parsers.errors import FormatError
from parsers.registry import joined, markers_of, reasoning_names, special_of, tool_names
from parsers.tokens import bundled
from parsers.tokens.chunks import cut
from parsers.tokens.stream import StreamOptions, simulate
from tests.every_cut import Setup, run

THOUGHT, TEXT = "Two steps 🐢.", "Both now."
TOOLS = {"find_place": {"city": {"type": "string"}, "days": {"type": "integer"}}, "ping": {}}
CALLS = (("find_place", {"city": "Ōsu", "days": 2}), ("ping", {}))
ARGUMENTS = '{"city": "Ōsu", "days": 2}'
ON = {"thinking": True, "enable_thinking": True, "reasoning_effort": "high"}

# --- thinking, by name; what a turn begins with, up to where content or calls may stand -----------------------------
THINK_TAGS = f"<think>{THOUGHT}</think>"
HARMONY = f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>"
THINKING = {
    "cohere_command3": f"<|START_THINKING|>{THOUGHT}<|END_THINKING|>",
    "cohere_command4": f"{THOUGHT}<|END_THINKING|>",
    "gemma4": f"<|channel>thought\n{THOUGHT}<channel|>",
    "granite": f"Here is my thought process:{THOUGHT}Here is my response:",
    "hunyuan_a13b": f"<think>\n{THOUGHT}\n</think>\n<answer>\n",
    "inkling": f"<|content_thinking|>{THOUGHT}<|end_message|><|message_model|><|content_text|>",
    "k2_horizon": f"{THOUGHT}</ifm|think>",
    "kimi_k3": f"{THOUGHT}<|close|>think<|sep|><|open|>response<|sep|>",
    "minimax_m3": f"<mm:think>{THOUGHT}</mm:think>",
    "mistral": f"[THINK]{THOUGHT}[/THINK]",
    "muse": f" to=self<|message|>{THOUGHT}<|eom|><|start|>assistant to=user<|message|>",
    "muse_glimmer": f" to=self<|message|>{THOUGHT}<|eom|><|start|>assistant to=user<|message|>",
    "musespark1x": f" to=self<|message|>{THOUGHT}<|eom|><|start|>assistant to=user<|message|>",
    "openai_gptoss": HARMONY,
    "plamo3": f"{THOUGHT}<|plamo:end_think:plamo|>",
    "seed_oss": f"{THOUGHT}</seed:think>",
}
NO_THINKING = ("identity", "minimax_m2_append_think", "hf", "beam")

# --- two calls, by name ----------------------------------------------------------------------------------------------
XML = "<function=find_place><parameter=city>Ōsu</parameter><parameter=days>2</parameter></function>"
PAIRS = "<arg_key>city</arg_key><arg_value>Ōsu</arg_value><arg_key>days</arg_key><arg_value>2</arg_value>"
LIST = f'[{{"name": "find_place", "arguments": {ARGUMENTS}}}, {{"name": "ping", "arguments": {{}}}}]'
OBJECTS = (f'{{"name": "find_place", "arguments": {ARGUMENTS}}}', '{"name": "ping", "arguments": {}}')
PYTHON = "find_place(city='Ōsu', days=2)"
INVOKE = '<{0}invoke name="find_place">{1}</{0}invoke><{0}invoke name="ping"></{0}invoke>'


def invokes(prefix, parameter):
    return INVOKE.format(prefix, f"{parameter.format('city', 'Ōsu')}{parameter.format('days', '2')}")


def tagged(open_, close, bodies=OBJECTS):
    return "".join(f"{open_}{body}{close}" for body in bodies)


def parameter(prefix, attribute="name"):
    return f'<{prefix}parameter {attribute}="{{}}">{{}}</{prefix}parameter>'


def dsml(space, wrapper):
    prefix = f"｜DSML｜{space}"
    typed = "".join(
        f'<{prefix}parameter name="{key}" string="{string}">{value}</{prefix}parameter>'
        for key, string, value in (("city", "true", "Ōsu"), ("days", "false", "2"))
    )
    calls = f'<{prefix}invoke name="find_place">{typed}</{prefix}invoke><{prefix}invoke name="ping"></{prefix}invoke>'
    return f"<{prefix}{wrapper}>{calls}</{prefix}{wrapper}>"


def kimi_k2():
    opens_arguments = "<|tool_call_argument_begin|>"
    bodies = (f"functions.find_place:0{opens_arguments}{ARGUMENTS}", f"functions.ping:1{opens_arguments}{{}}")
    calls = tagged("<|tool_call_begin|>", "<|tool_call_end|>", bodies)
    return f"<|tool_calls_section_begin|>{calls}<|tool_calls_section_end|>"


def kimi_k3():
    values = (("city", "string", "Ōsu"), ("days", "number", "2"))
    argument = '<|open|>argument key="{}" type="{}"<|sep|>{}<|close|>argument<|sep|>'
    arguments = "".join(argument.format(*value) for value in values)
    calls = (
        f'<|open|>call tool="find_place" index="1"<|sep|>{arguments}<|close|>call<|sep|>'
        '<|open|>call tool="ping" index="2"<|sep|><|close|>call<|sep|>'
    )
    return f"<|close|>response<|sep|><|open|>tools<|sep|>{calls}<|close|>tools<|sep|>"


def deepseek(type_, fence):
    calls = (("find_place", ARGUMENTS), ("ping", "{}"))
    bodies = [f"{type_}{name}{fence[0]}{arguments}{fence[1]}" for name, arguments in calls]
    return f"<｜tool▁calls▁begin｜>{tagged('<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>', bodies)}<｜tool▁calls▁end｜>"


def step3():
    prefix = "steptml:"
    bodies = (
        f'function<｜tool_sep｜><{prefix}invoke name="find_place">{parameter(prefix).format("city", "Ōsu")}'
        f"{parameter(prefix).format('days', '2')}</{prefix}invoke>",
        f'function<｜tool_sep｜><{prefix}invoke name="ping"></{prefix}invoke>',
    )
    return f"<｜tool_calls_begin｜>{tagged('<｜tool_call_begin｜>', '<｜tool_call_end｜>', bodies)}<｜tool_calls_end｜>"


def hunyuan(separator):
    bodies = (f"find_place{separator}{PAIRS}", f"ping{separator}")
    return f"<tool_calls>{tagged('<tool_call>', '</tool_call>', bodies)}</tool_calls>"


def plamo3():
    def tag(edge, name):
        return f"<|plamo:{edge}_{name}:plamo|>"

    def request(name, arguments):
        return (
            f"{tag('begin', 'tool_request')}{tag('begin', 'tool_name')}{name}{tag('end', 'tool_name')}"
            f"{tag('begin', 'tool_arguments')}<|plamo:constrain|>json<|plamo:msg|>{arguments}"
            f"{tag('end', 'tool_arguments')}{tag('end', 'tool_request')}"
        )

    requests = request("find_place", ARGUMENTS) + request("ping", "{}")
    return f"{tag('begin', 'tool_requests')}{requests}{tag('end', 'tool_requests')}"


def minimax_m3():
    m = "]<]minimax[>["
    values = f"{m}<city>Ōsu{m}</city>{m}<days>2{m}</days>"
    calls = f'{m}<invoke name="find_place">{values}{m}</invoke>{m}<invoke name="ping">{m}</invoke>'
    return f"{m}<tool_call>{calls}{m}</tool_call>"


def k2_horizon():
    values = "".join(
        f"<ifm|arg_key>{key}</ifm|arg_key><ifm|arg_value>{value}</ifm|arg_value>"
        for key, value in (("city", "Ōsu"), ("days", "2"))
    )
    bodies = (f"find_place{values}", "ping")
    return f"<ifm|tool_calls>{tagged('<ifm|tool_call>', '</ifm|tool_call>', bodies)}</ifm|tool_calls>"


def harmony():
    return "".join(
        f"<|start|>assistant to=functions.{name}<|channel|>commentary <|constrain|>json<|message|>{arguments}<|call|>"
        for name, arguments in (("find_place", ARGUMENTS), ("ping", "{}"))
    )


def muse():
    calls = invokes("atem:", parameter("atem:"))
    return f"<|start|>assistant to=find_place<|message|><atem:function_calls>{calls}</atem:function_calls><|eom|>"


def inkling():
    bodies = (f'{{"name": "find_place", "args": {ARGUMENTS}}}', '{"name": "ping", "args": {}}')
    blocks = tagged("<|message_model|><|content_invoke_tool_json|>", "<|end_message|>", bodies)
    return f"<|end_message|>{blocks}"


COHERE = (
    f'<|START_ACTION|>[{{"tool_call_id": "0", "tool_name": "find_place", "parameters": {ARGUMENTS}}}, '
    '{"tool_call_id": "1", "tool_name": "ping", "parameters": {}}]<|END_ACTION|>'
)
GLM = tagged("<tool_call>", "</tool_call>", (f"find_place{PAIRS}", "ping"))
QWEN_XML = f"<tool_call>{XML}</tool_call><tool_call><function=ping></function></tool_call>"
GEMMA = "{0}call:find_place{{city:{2}Ōsu{2},days:2}}{1}{0}call:ping{{}}{1}"
BARE_JSON = "; ".join(OBJECTS)
TWO_CALLS = {
    "apertus": f'<|tools_prefix|>[{{"find_place": {ARGUMENTS}}}, {{"ping": {{}}}}]<|tools_suffix|>',
    "cohere_command3": COHERE,
    "cohere_command4": COHERE,
    "deepseek_v3": deepseek("function<｜tool▁sep｜>", ("\n```json\n", "\n```")),
    "deepseek_v31": deepseek("", ("<｜tool▁sep｜>", "")),
    "deepseek_v32": dsml("", "function_calls"),
    "deepseek_v4": dsml("", "tool_calls"),
    "deepseek_v41": dsml(" ", "calls"),
    "dots": f"<dots_function_call>{invokes('', parameter(''))}</dots_function_call>",
    "ernie45": tagged("<tool_call>", "</tool_call>"),
    "functiongemma": GEMMA.format("<start_function_call>", "<end_function_call>", "<escape>"),
    "gemma4": GEMMA.format("<|tool_call>", "<tool_call|>", '<|"|>'),
    "gigachat3": tagged("<|function_call|>", ""),
    "glm45": GLM, "glm47": GLM, "ling3": GLM, "poolside_v1": GLM,
    "granite": f"<|tool_call|>{LIST}",
    "granite-20b-fc": tagged("<function_call>", ""),
    "granite4": tagged("<tool_call>", "</tool_call>"),
    "hermes": tagged("<tool_call>", "</tool_call>"),
    "hunyuan_a13b": f"<tool_calls>{LIST}</tool_calls>",
    "hy_v3": hunyuan("<tool_sep>"),
    "hy_v4": hunyuan(""),
    "inkling": inkling(),
    "internlm": tagged("<|action_start|><|plugin|>", "<|action_end|>"),
    "jamba": f"<tool_calls>{LIST}</tool_calls>",
    "k2_horizon": k2_horizon(),
    "kimi_k2": kimi_k2(),
    "kimi_k3": kimi_k3(),
    "lfm2": f"<|tool_call_start|>[{PYTHON}, ping()]<|tool_call_end|>",
    "llama3_json": BARE_JSON, "llama4_json": BARE_JSON,
    "llama4_pythonic": f"<|python_start|>[{PYTHON}, ping()]<|python_end|>",
    "longcat": tagged("<longcat_tool_call>", "</longcat_tool_call>"),
    "mimo": QWEN_XML,
    "minicpm5": '<function name="find_place"><param name="city">Ōsu</param><param name="days">2</param></function>'
                '<function name="ping"></function>',
    "minimax_m2": f"<minimax:tool_call>{invokes('', parameter(''))}</minimax:tool_call>",
    "minimax_m3": minimax_m3(),
    "mistral": f"[TOOL_CALLS]find_place[ARGS]{ARGUMENTS}[TOOL_CALLS]ping[ARGS]{{}}",
    "muse": muse(), "muse_glimmer": muse(), "musespark1x": muse(),
    "olmo3": f"<function_calls>{PYTHON}\nping()</function_calls>",
    "openai": harmony(),
    "phi4_mini_json": f"functools{LIST}",
    "plamo3": plamo3(),
    "pythonic": f"[{PYTHON}, ping()]",
    "qwen3_coder": QWEN_XML, "qwen3_xml": QWEN_XML, "step3p5": QWEN_XML, "step5": QWEN_XML,
    "qwen3_json": tagged("<tool_call>", "</tool_call>"),
    "seed_oss": QWEN_XML.replace("tool_call>", "seed:tool_call>"),
    "step3": step3(),
    "xlam": f"<tool_call>{LIST}</tool_call>",
}  # fmt: skip
# A tool format of messages starts inside a header unless a reasoning format reads the beginning.
FRAMES = {
    "openai": "<|channel|>final<|message|>",
    **dict.fromkeys(("muse", "muse_glimmer", "musespark1x"), " to=user<|message|>"),
}
ONLY_AT_THE_START = ("llama3_json", "llama4_json", "pythonic")
FROM_THE_TOKENIZER = ("hf", "beam")


def turn(reasoning, tool):
    """A whole turn in the pair's grammars, and whether it holds the text."""
    thinking = FRAMES.get(tool, "") if reasoning in NO_THINKING else THINKING.get(reasoning, THINK_TAGS)
    text = "" if tool in ONLY_AT_THE_START else TEXT
    return f"{thinking}{text}{TWO_CALLS[tool]}", text


def cannot_pair(reasoning, tool):
    try:
        return lint(joined(reasoning, tool))
    except FormatError as error:
        assert "cannot be used together" in str(error)  # noqa: PT017 - the reason is what is tested
        return error
    return None


def test_every_tool_name_has_a_turn():
    assert sorted((*TWO_CALLS, *FROM_THE_TOKENIZER)) == tool_names()


@pytest.mark.parametrize("reasoning", reasoning_names())
def test_any_tool_name_goes_with(reasoning):
    differing = {}
    for tool in TWO_CALLS:
        problem = cannot_pair(reasoning, tool)
        if isinstance(problem, FormatError):
            continue
        assert problem == [], (tool, problem)
        differing |= differences(reasoning, tool)
    assert not differing, "\n".join(f"{tool}: {got}" for tool, got in differing.items())


def differences(reasoning, tool):
    """What is wrong with the pair's turn: {} or {tool: what came out instead}."""
    setup = Setup(reasoning, tool, TOOLS, kwargs=ON, call_commit="on_close")
    raw, text = turn(reasoning, tool)
    tokenizer = bundled.load(markers_of(reasoning, tool), special_of(reasoning, tool))
    stream = simulate(tokenizer, tokenizer.encode(raw), StreamOptions())
    want = ("" if reasoning in NO_THINKING else THOUGHT, text, CALLS)
    for strategy in ("token", "one", "rand:1:6"):
        fields = run(setup, tokenizer, cut(stream, strategy))
        opener = "<think>" if reasoning == "minimax_m2_append_think" else ""
        content = (fields.content or "").removeprefix(opener).strip()
        got = ((fields.reasoning or "").strip(), content, fields.calls)
        if got != want:
            return {tool: (strategy, got)}
    return {}
