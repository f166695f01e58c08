"""State that can be looked at, compared and put back."""

from parsers.state import Stateful


class Inner(Stateful):
    STATE = ("words",)

    def __init__(self, words=()):
        self.words = list(words)


class Outer(Stateful):
    STATE = ("count", "inner", "many", "named")

    def __init__(self):
        self.count = 0
        self.inner = Inner()
        self.many = [Inner(["a"])]
        self.named = {"x": [1]}
        self.kept_out = object()


def test_a_snapshot_is_not_touched_by_what_happens_later():
    outer = Outer()
    before = outer.snapshot()
    outer.count = 5
    outer.inner.words.append("b")
    outer.many.append(Inner())
    outer.many[0].words.append("c")
    outer.named["x"].append(2)
    assert outer.snapshot() != before
    outer.restore(before)
    assert (outer.count, outer.inner.words, outer.named) == (0, [], {"x": [1]})
    assert [inner.words for inner in outer.many] == [["a"]]
    assert outer.snapshot() == before


def test_a_snapshot_can_be_put_back_more_than_once():
    outer = Outer()
    before = outer.snapshot()
    for word in "xy":
        outer.restore(before)
        assert outer.inner.words == []
        outer.inner.words.append(word)
    outer.restore(before)
    assert outer.snapshot() == before


def test_a_stage_that_was_replaced_comes_back():
    outer = Outer()
    before, first = outer.snapshot(), outer.inner
    outer.inner = Inner(["new"])
    outer.restore(before)
    assert outer.inner is first


def test_equal_state_has_equal_snapshots_whatever_the_object():
    one, other = Outer(), Outer()
    assert one.snapshot() == other.snapshot()
    other.inner.words.append("a")
    assert one.snapshot() != other.snapshot()


def test_stages_of_another_class_are_different():
    class Twin(Inner):
        """The same state, another meaning."""

    one, other = Outer(), Outer()
    other.inner = Twin()
    assert one.snapshot() != other.snapshot()


def test_what_is_not_listed_is_left_alone():
    outer = Outer()
    before, kept = outer.snapshot(), outer.kept_out
    outer.restore(before)
    assert outer.kept_out is kept
