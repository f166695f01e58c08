"""Mutable state that can be looked at, compared and put back.

Every stage that keeps something between two deltas is a `Stateful`: it names its fields in `STATE`; immutable things
(tables, compiled patterns, schemas) stay outside. Snapshots are plain tuples, equal when the future is equal.
"""

from __future__ import annotations

from typing import Any, ClassVar

Snapshot = tuple[Any, ...]


class Stateful:
    """Base of the stages; subclasses list their mutable attributes in `STATE`, in a fixed order."""

    STATE: ClassVar[tuple[str, ...]] = ()

    def snapshot(self) -> Snapshot:
        """All state as one comparable tuple; nested stages are included."""
        return tuple(_freeze(self.__dict__[name]) for name in self.STATE)

    def restore(self, snapshot: Snapshot) -> None:
        """Put back what `snapshot` returned."""
        for name, value in zip(self.STATE, snapshot, strict=True):
            self.__dict__[name] = _thaw(value)


class _Stage(tuple[Any, ...]):
    """A nested stage in a snapshot: (the object, its snapshot); equal when class and state are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Stage) and type(self[0]) is type(other[0]) and bool(self[1] == other[1])

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]


class _List(tuple[Any, ...]):
    """A list in a snapshot."""


class _Dict(tuple[Any, ...]):
    """A dict in a snapshot, as its items."""


def _freeze(value: object) -> object:
    if isinstance(value, Stateful):
        return _Stage((value, value.snapshot()))
    if isinstance(value, list):
        return _List(_freeze(item) for item in value)
    if isinstance(value, dict):
        return _Dict((key, _freeze(item)) for key, item in value.items())
    return value


def _thaw(value: object) -> object:
    if isinstance(value, _Stage):
        stage: Stateful = value[0]
        stage.restore(value[1])
        return stage
    if isinstance(value, _List):
        return [_thaw(item) for item in value]
    if isinstance(value, _Dict):
        return {key: _thaw(item) for key, item in value}
    return value
