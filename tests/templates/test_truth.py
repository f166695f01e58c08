"""The names of real templates: the truth or an accepted alternative is in the first group, in nearly all.

Source: template-study.md section 2; the templates are not part of the package.
"""

import json
import time
from functools import lru_cache
from pathlib import Path

import pytest

from parsers.templates.read import NamedTemplate
from parsers.templates.report import report

SHARED = Path(__file__).resolve().parents[3] / "shared"
TRUTH = SHARED / "cases" / "template-truth.jsonl"
SLOWEST = 2.0
"""Seconds of one template, once the renderer is warm."""

pytestmark = pytest.mark.skipif(not TRUTH.is_file(), reason=f"no template truth at {TRUTH}")


@lru_cache(maxsize=1)
def judged():
    """(truth, row, seconds) of every template."""
    truths = [json.loads(line) for line in TRUTH.read_text(encoding="utf-8").splitlines()]
    report(NamedTemplate("warm", "{{ messages[0].content }}"))
    return [(truth, *_judge(SHARED / "templates" / truth["template"])) for truth in truths]


def _judge(path):
    start = time.perf_counter()
    row = report(NamedTemplate(path.name, path.read_text(encoding="utf-8"))).row()
    return row, time.perf_counter() - start


@pytest.mark.parametrize(("kind", "least"), [("reasoning", 112), ("tool", 109)])
def test_the_first_group_is_right(kind, least):
    wrong = [
        (truth["template"], truth[f"{kind}_parser"], row[kind][0]["names"])
        for truth, row, _ in judged()
        if not {truth[f"{kind}_parser"], *truth[f"{kind}_alternatives"]} & set(row[kind][0]["names"])
    ]
    assert len(judged()) - len(wrong) >= least, wrong


def test_the_first_group_is_small():
    """A group that named everything would always be right."""
    sizes = [len(row[kind][0]["names"]) for _, row, _ in judged() for kind in ("reasoning", "tool")]
    assert max(sizes) <= 8
    assert sum(sizes) / len(sizes) < 2


def test_generation_prompts_are_as_measured():
    differ = [
        (truth["template"], truth["facts"]["gen_prompt"]["default"], row["generation_prompt"])
        for truth, row, _ in judged()
        if truth["facts"]["gen_prompt"]["default"] not in (row["generation_prompt"], "error")
    ]
    assert differ == []


def test_a_template_costs_little():
    """The median, because a loaded machine slows single ones."""
    seconds = sorted(seconds for _, _, seconds in judged())
    assert seconds[len(seconds) // 2] < SLOWEST
