"""Which names fit hand-made templates: each pitfall of template-study.md section 5 once, small."""

import pytest

from parsers.names import TOOLS
from parsers.registry import tool_format
from parsers.templates.evidence import gather
from parsers.templates.fit import fit
from parsers.templates.fit_tools import _can_open
from parsers.templates.groups import Candidate, group
from parsers.templates.read import NamedTemplate
from parsers.templates.report import report
from parsers.templates.roundtrip import parse

CHATML = """{% if tools %}<|im_start|>system
TOOLS{{ tools | tojson }}<|im_end|>
{% endif %}{% for m in messages %}<|im_start|>{{ m.role }}
{{ BODY }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
PROMPT{% endif %}"""

JSON_CALLS = """{{ m.content }}{% for c in m.tool_calls or [] %}
<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}"""
XML_CALLS = """{{ m.content }}{% for c in m.tool_calls or [] %}
<tool_call>
<function={{ c.function.name }}>
{% for k, v in c.function.arguments | items %}<parameter={{ k }}>
{{ v if v is string else v | tojson }}
</parameter>
{% endfor %}</function>
</tool_call>{% endfor %}"""
PAIR_CALLS = """{{ m.content }}{% for c in m.tool_calls or [] %}
<tool_call>{{ c.function.name }}
{% for k, v in c.function.arguments | items %}<arg_key>{{ k }}</arg_key>
<arg_value>{{ v if v is string else v | tojson }}</arg_value>
{% endfor %}</tool_call>{% endfor %}"""
THINKING = "{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n\n{% endif %}{{ m.content }}"
STRIPPED = "{{ m.content.split('</think>')[-1] }}"


def chatml(body="{{ m.content }}", prompt="", tools=""):
    return CHATML.replace("{{ BODY }}", body).replace("PROMPT", prompt).replace("TOOLS", tools)


def best(template, **known):
    fitted = fit(NamedTemplate("a file name that lies: deepseekv3", template, **known))
    return fitted.reasoning[0].names, fitted.tool[0].names


@pytest.mark.parametrize(
    ("body", "tool"),
    [
        pytest.param(JSON_CALLS, "hermes", id="json"),
        pytest.param(XML_CALLS, "qwen3_coder", id="functions"),
        pytest.param(PAIR_CALLS, "glm45", id="pairs"),
    ],
)
def test_the_same_tag_with_another_grammar_is_another_format(body, tool):
    """Point 9: all three stand in `<tool_call>`."""
    assert best(chatml(body))[1][0] == tool


@pytest.mark.parametrize(
    "template",
    [
        pytest.param("{# <tool_call> </tool_call> <think> </think> #}" + chatml(), id="comment"),
        pytest.param(chatml(STRIPPED), id="strip-rule"),
        pytest.param(chatml("{% if m.role == 'ghost' %}<think></think>{% endif %}{{ m.content }}"), id="other-role"),
        pytest.param(chatml(tools="x"), id="tools-without-a-format"),
        pytest.param(chatml(JSON_CALLS.replace("tool_call>", "call>")), id="alien"),
    ],
)
def test_markers_that_never_reach_a_turn_prove_nothing(template):
    """Points 3 and 8."""
    assert best(template) == ((None,), (None,))


WRITTEN = "<tool_call>\n{{ {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}\n</tool_call>"
EACH_CALL = "{{ m.content }}{% for c in m.tool_calls or [] %}\n" + WRITTEN + "{% endfor %}"
ONE_STRING = (
    "{%- set ns = namespace(out='', open='<tool' + '_call>') -%}{%- for m in messages -%}"
    "{%- set ns.out = ns.out + '<|im_start|>' + m.role + '\\n' + (m.content or '') -%}"
    "{%- for c in m.tool_calls or [] -%}{%- set call = {'name': c.function.name, 'arguments': c.function.arguments} -%}"
    "{%- set ns.out = ns.out + '\\n' + ns.open + '\\n' + (call | tojson) + '\\n' + ns.open.replace('<', '</') -%}"
    "{%- endfor -%}{%- set ns.out = ns.out + '<|im_end|>\\n' -%}{%- endfor -%}{{ ns.out }}"
    "{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def guarded(condition, body=JSON_CALLS):
    """A template that raises when a condition of a message holds."""
    return chatml("{% if " + condition + " %}{{ raise_exception('not so') }}{% endif %}" + body)


@pytest.mark.parametrize(
    "template",
    [
        pytest.param(ONE_STRING, id="built-by-concatenation"),
        pytest.param("{% macro w(c) %}" + WRITTEN + "{% endmacro %}" + chatml(EACH_CALL.replace(WRITTEN, "{{ w(c) }}")),
                     id="macro"),
        pytest.param(chatml("{% call w() %}" + EACH_CALL + "{% endcall %}").join(
            ("{% macro w() %}{{ caller() }}{% endmacro %}", "")), id="call-block"),
        pytest.param("{{ raise_exception('x') if tools is none }}" + chatml(JSON_CALLS), id="tools-required"),
        pytest.param(chatml(JSON_CALLS.replace("c.function.", "(c.function or c).")), id="flat-or-nested-calls"),
        pytest.param(guarded("m.tool_calls and loop.last"), id="results-must-follow"),
        pytest.param(guarded("m.role == 'assistant' and loop.last"), id="a-question-must-follow"),
        pytest.param(guarded("m.tool_calls and m.content is not none",
                             JSON_CALLS.replace("m.content", "m.content or ''")), id="content-null"),
        pytest.param(guarded("m.tool_calls and not m.tool_calls[0].id.startswith('call_')"), id="ids-of-the-api"),
        pytest.param("{{ raise_exception('x') if messages[0].role != 'system' }}" + chatml(JSON_CALLS), id="system"),
        pytest.param(guarded("m.content is string", JSON_CALLS.replace("m.content", "m.content[0].text")), id="parts"),
        pytest.param("{% for d in documents %}{% endfor %}" + chatml(JSON_CALLS), id="documents"),
        pytest.param("{{ own_name.upper() }}" + chatml(JSON_CALLS), id="its-own-variable"),
    ],
)  # fmt: skip
def test_calls_are_found_whatever_the_template_is_like_or_demands(template):
    """The calls are shown and parsed, not guessed from a marker."""
    found = fit(NamedTemplate("t", template)).tool[0]
    assert found.names == ("hermes", "qwen3_json")
    assert found.why[0] == "calls come back exact"


@pytest.mark.parametrize(
    "template",
    [
        pytest.param(chatml(THINKING), id="shown"),
        pytest.param(chatml(THINKING.replace("reasoning_content", "reasoning")), id="shown-by-another-name"),
        pytest.param(chatml(THINKING.replace("reasoning_content", "thinking")), id="shown-by-a-third-name"),
        pytest.param(chatml(prompt="{{ '<think>\n\n</think>' if use_think_mode is false }}"), id="its-own-switch"),
        pytest.param(chatml(prompt="{{ '<think>\n\n</think>' if '/no_think' in messages[0].content }}"), id="word"),
        pytest.param(chatml(prompt="<think>\n"), id="opened-by-the-prompt"),
        pytest.param(chatml(prompt="{% if enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}"), id="closed"),
        pytest.param("Use <think> and </think>.\n" + chatml(), id="described"),
    ],
)
def test_thinking_shows_in_many_ways(template):
    assert best(template)[0][0] == "qwen3"


def test_a_strip_rule_counts_in_a_frame_of_one_maker():
    template = (
        "{% for m in messages %}{{ '<｜User｜>' + m.content if m.role == 'user' else '<｜Assistant｜>' + "
        "m.content.split('</think>')[-1] }}{% endfor %}{% if add_generation_prompt %}<｜Assistant｜>{% endif %}"
    )
    assert best(template)[0][0] == "deepseek_r1"


def test_instructions_decide_where_no_call_is_shown():
    """Point 7."""
    tools = 'Write <tool_call>{"name": …, "arguments": …}</tool_call>.'
    assert best(chatml("{{ m.content }}", tools=tools))[1][:2] == ("hermes", "qwen3_json")


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_a_name_that_finds_a_call_is_never_set_aside_unparsed(name):
    """Every turn of the hand-made templates: what `_can_open` rules out, the parser does not find either."""
    for body in (JSON_CALLS, XML_CALLS, PAIR_CALLS):
        for turn in gather(NamedTemplate("t", chatml(body))).turns.calls:
            if not _can_open(tool_format(name), turn.text):
                assert parse(turn, None, name).tool_calls == []


def test_the_frame_chooses_among_equal_grammars():
    granite = chatml(JSON_CALLS).replace("<|im_start|>", "<|start_of_role|>").replace("<|im_end|>", "<|end_of_text|>")
    assert best(granite)[1] == ("granite4",)


def test_a_marker_that_only_begins_a_longer_word_is_not_there():
    """`<functions>` in the instructions is no `<function`; where the calls' own marker is not reached, it decides."""
    body = "{{ m.content }}{% if m.function_calls %}<function_calls>{{ m.function_calls }}</function_calls>{% endif %}"
    assert best(chatml(body, prompt="<think>", tools="<functions>"))[1] == ("olmo3",)


def test_a_reasoning_name_whose_own_tool_format_does_not_fit_comes_after_one_that_has_none():
    template = (
        "{% for m in messages %}{% if m.role == 'user' %}<｜User｜>{{ m.content }}{% else %}<｜Assistant｜></think>"
        "{{ m.content }}{% for c in m.tool_calls or [] %}{{ '\n\n' }}<｜DSML｜function_calls>\n"
        '<｜DSML｜invoke name="{{ c.function.name }}">\n{% for k, v in c.function.arguments | items %}'
        '<｜DSML｜parameter name="{{ k }}" string="{{ v is string | tojson }}">{{ v }}</｜DSML｜parameter>\n'
        '{% endfor %}'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>{% endfor %}{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}<｜Assistant｜>{{ '<think>' if thinking else '</think>' }}{% endif %}"
    )
    reasoning, tool = best(template)
    assert (reasoning[0], tool) == ("deepseek_v3", ("deepseek_v32",))


def test_a_vocabulary_without_a_needed_token_rejects_a_name():
    """Point 13."""
    lfm2 = chatml(
        "{{ m.content }}{% if m.tool_calls %}<|tool_call_start|>[{% for c in m.tool_calls %}{{ c.function.name }}()"
        "{{ ', ' if not loop.last }}{% endfor %}]<|tool_call_end|>{% endif %}"
    )
    tokens = ("<|tool_call_start|>", "<|tool_call_end|>")
    assert best(lfm2, vocabulary=frozenset(tokens))[1] == ("lfm2",)
    assert best(lfm2, vocabulary=frozenset({"x"}))[1] == (None,)


def test_a_response_template_of_the_tokenizer_comes_first():
    assert best(chatml(JSON_CALLS), settings={"response_template": {"version": 1}}) == (("hf", "beam"), ("hf", "beam"))


def test_equal_evidence_makes_one_group_and_general_names_lead_it():
    names = [Candidate(name, (4, 1), ("why",)) for name in ("granite4", "hermes")]
    groups = group([*names, Candidate("xlam", (4, 0), ("less",))])
    assert [found.names for found in groups] == [("hermes", "granite4"), ("xlam",)]


RAISES = "{% if m.tool_calls %}{{ raise_exception('No calls here') }}{% endif %}{{ m.content }}"
DROPS_CONTENT = JSON_CALLS.replace("{{ m.content }}", "{{ m.content if not m.tool_calls }}")
DROPS_A_CALL = JSON_CALLS.replace("m.tool_calls or []", "(m.tool_calls or [])[:1]")


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        pytest.param(chatml(THINKING).replace(THINKING, STRIPPED), None, id="nothing-wrong"),
        pytest.param(chatml(JSON_CALLS), "Arguments given as JSON text are encoded twice.", id="double-encoded"),
        pytest.param(chatml(XML_CALLS), "make it raise: TypeError", id="arguments-as-text-raise"),
        pytest.param(chatml(RAISES), "Calls in history do not render: TemplateError: No calls here", id="raises"),
        pytest.param(chatml(DROPS_CONTENT), "Content beside calls is dropped", id="content"),
        pytest.param(chatml(DROPS_A_CALL), "Only one of two", id="one-call"),
        pytest.param(
            chatml(JSON_CALLS.replace("{{ c.function.arguments | tojson }}", "{{ c.function.arguments }}")),
            "written as Python",
            id="python",
        ),
        pytest.param(
            chatml("{% if loop.last %}" + THINKING + "{% else %}{{ m.content }}{% endif %}"),
            "Thinking is stripped from history once the next user message comes.",
            id="thinking-stripped",
        ),
        pytest.param(chatml(prompt="<thought>"), "a tag that no parser knows", id="unknown-tag"),
        pytest.param("{% if %}", "The template cannot be read", id="syntax"),
        pytest.param(chatml() + "{{ nothing.here }}", "only with its own variables (nothing); without", id="demands"),
        pytest.param(chatml() + "{{ raise_exception('no') }}", "does not render: TemplateError", id="prompt-raises"),
    ],
)
def test_what_will_go_wrong_is_told(template, sentence):
    found = report(NamedTemplate("t", template)).warnings
    assert any(sentence in warning for warning in found) if sentence else found == ()


def test_a_report_has_round_trips_markers_and_flags():
    found = report(NamedTemplate("t", chatml(THINKING + JSON_CALLS.removeprefix("{{ m.content }}"), "")))
    assert {field.grade.name for trip in found.round_trips for field in trip.fields} == {"EXACT"}
    assert {marker.spelling for marker in found.markers} == {"<think>", "</think>", "<tool_call>", "</tool_call>"}
    assert found.vllm == "--reasoning-parser qwen3 --enable-auto-tool-choice --tool-call-parser hermes"
    assert found.row()["generation_prompt"] == "none"
