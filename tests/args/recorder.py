"""A call sink that remembers what a codec reports, and ways to feed a codec."""

from dataclasses import dataclass, field


@dataclass
class Call:
    name: str = ""
    arguments: str = ""
    complete: bool | None = None  # None while open


@dataclass
class Recorder:
    """What a codec reported; `places` are the positions of its reports in the text fed last."""

    calls: list[Call] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    def start_call(self, at):
        self.places.append(at)
        self.calls.append(Call())

    def name_call(self, name, at):
        self.places.append(at)
        self.calls[-1].name = name

    def identify_call(self, call_id, at):
        raise AssertionError("no codec under test reads ids")

    def append_arguments(self, json_text, at):
        self.places.append(at)
        self.calls[-1].arguments += json_text

    def end_call(self, at, complete):
        self.places.append(at)
        self.calls[-1].complete = complete

    def skip(self, at, is_name=False):
        self.places.append(at)

    def check_places(self, used):
        """Reports come in the order of the text, each within what was used."""
        assert self.places == sorted(self.places)
        assert all(0 <= at <= used for at in self.places)
        self.places.clear()
