"""Structural tags -> texts they allow, drawn by Hypothesis; a model under constraint, without a grammar engine."""

import json

from hypothesis import strategies as st

WORDS = st.text("abc xyz.", max_size=8)
NUMBERS = st.integers(-99, 999)
REGEX_LETTERS = "abcdefrstlu0123-+.E"
REGEX_TEXTS = {r"[ \n]*": st.sampled_from(["", "\n", " "]), r"[0-9]+": st.integers(0, 9).map(str)}


def texts(part):
    """Texts that a part of a structural tag allows."""
    return _WRITERS[part["type"]](part)


def _joined(strategies):
    return st.tuples(*strategies).map("".join)


def _repeated(strategy, separator="", least=0, most=2):
    return st.lists(strategy, min_size=least, max_size=most).map(separator.join)


def _tag(part):
    ends = part["end"] if isinstance(part["end"], list) else [part["end"]]
    return _joined([st.just(part["begin"]), texts(part["content"]), st.sampled_from(ends)])


def _triggered(part):
    one = st.one_of([texts(tag) for tag in part["tags"]])
    if part["stop_after_first"]:  # the output ends with the first tag
        return _joined([WORDS, _repeated(one, most=1)])
    return _joined([WORDS, _repeated(_joined([one, WORDS]))])


def _tags_list(part):
    one = st.one_of([texts(tag) for tag in part["tags"]])
    return _repeated(one, part["separator"], least=1, most=1 if part["stop_after_first"] else 3)


def _regex(part):
    known = REGEX_TEXTS.get(part["pattern"])
    return st.from_regex(part["pattern"], fullmatch=True, alphabet=REGEX_LETTERS) if known is None else known


def _schema_value(schema):
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("type") == "object":
        return _objects(schema)
    if schema.get("type") == "array":
        return st.lists(NUMBERS, max_size=2)
    return {"integer": NUMBERS, "boolean": st.booleans()}.get(schema.get("type"), WORDS)


def _objects(schema):
    required = schema.get("required", [])
    properties = {name: _schema_value(inner) for name, inner in schema.get("properties", {}).items()}
    if not properties:  # an object without a schema: any keys
        return st.dictionaries(st.sampled_from(["one", "two"]), WORDS, max_size=2)
    must = {name: value for name, value in properties.items() if name in required}
    found = st.fixed_dictionaries(must, optional={n: v for n, v in properties.items() if n not in must})
    return found.map(lambda values: {name: values[name] for name in properties if name in values})  # declared order


def _typed(value):
    names = {str: "string", bool: "boolean", int: "number", dict: "object", list: "array"}
    return names[type(value)]


def _bare(value):
    return value if isinstance(value, str) else json.dumps(value)


_PARAMETERS = {
    "qwen_xml": lambda k, v: f"<parameter={k}>{_bare(v)}</parameter>",
    "minimax_xml": lambda k, v: f'<parameter name="{k}">{_bare(v)}</parameter>\n',
    "glm_xml": lambda k, v: f"<arg_key>{k}</arg_key><arg_value>{_bare(v)}</arg_value>",
    "deepseek_xml": lambda k, v: _dsml(k, v, "｜DSML｜"),
    "deepseek_v4_1_xml": lambda k, v: _dsml(k, v, "｜DSML｜ "),
    "kimi_k3_xml": lambda k, v: (
        f'<|open|>argument key="{k}" type="{_typed(v)}"<|sep|>{_bare(v)}<|close|>argument<|sep|>'
    ),
}


def _dsml(key, value, tag):
    is_text = json.dumps(isinstance(value, str))
    return f'<{tag}parameter name="{key}" string="{is_text}">{_bare(value)}</{tag}parameter>\n'


def _schema(part):
    value = _schema_value(part["json_schema"])
    if part["style"] == "json":
        return value.map(json.dumps)
    write = _PARAMETERS[part["style"]]
    return value.map(lambda found: "".join(write(key, item) for key, item in found.items()))


_WRITERS = {
    "const_string": lambda part: st.just(part["value"]),
    "regex": _regex,
    "json_schema": _schema,
    "any_text": lambda part: WORDS,
    "sequence": lambda part: _joined([texts(one) for one in part["elements"]]),
    "or": lambda part: st.one_of([texts(one) for one in part["elements"]]),
    "optional": lambda part: st.one_of(st.just(""), texts(part["content"])),
    "star": lambda part: _repeated(texts(part["content"])),
    "tag": _tag,
    "triggered_tags": _triggered,
    "tags_with_separator": _tags_list,
}
