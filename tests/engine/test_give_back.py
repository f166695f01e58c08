"""A region that is text after all leaves nothing behind (E-84; INDEX-1 feature 8)."""

from tests.every_cut import Setup, everywhere

FUNCTIONS = Setup(tool="functiongemma", tools={"f": {"x": {"type": "integer"}}})


def test_a_call_after_one_that_was_given_back_starts_with_a_fresh_body():
    broken = "<start_function_call>:g g(["
    fields = everywhere(FUNCTIONS, f"{broken}<start_function_call>call:f{{x:1}}<end_function_call>")
    assert fields.content == broken
    assert fields.calls == (("f", {"x": 1}),)
