"""`parserscope fit`: one JSON line a template, or text for people."""

import json

from parsers.cli import main

TEMPLATE = (
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}<think>{% endif %}"
)


def test_one_json_line_a_template(tmp_path, capsys):
    for name in ("a", "b"):
        (tmp_path / f"{name}.jinja").write_text(TEMPLATE)
    assert main(["fit", str(tmp_path), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["template"] for row in rows] == ["a.jinja", "b.jinja"]
    assert rows[0].keys() == {"template", "reasoning", "tool", "generation_prompt", "warnings", "flags"}
    assert rows[0]["reasoning"][0]["names"] == ["qwen3", "deepseek_r1"]
    assert rows[0]["tool"] == [{"names": [None], "why": rows[0]["tool"][0]["why"]}]
    assert rows[0]["generation_prompt"] == "open"


def test_people_get_names_reasons_and_flags(tmp_path, capsys):
    (tmp_path / "a.jinja").write_text(TEMPLATE)
    assert main(["fit", str(tmp_path / "a.jinja")]) == 0
    told = capsys.readouterr().out
    assert "reasoning: qwen3, deepseek_r1 (the generation prompt opens or closes thinking" in told
    assert "vLLM: --reasoning-parser qwen3" in told


def test_nothing_to_read_is_one_sentence(capsys):
    assert main(["fit", "/no/such/place"]) == 2
    assert capsys.readouterr().err.startswith("parserscope: There is nothing at")
