"""The command `parserscope`: opens the app, parses a text, replays and compares cases, fits templates, lists names.

Results go to standard output, everything for people (progress, summary, complaints) to standard error. Exit
code 0 is success, 1 that some cases differ, 2 unusable input, told in one sentence.

Source: card 00 (C0-20 … C0-22).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TextIO, get_args

from parsers import __version__
from parsers.composition import Composition
from parsers.debug.casecompare import STREAMING_AGAINST_WHOLE, ColumnChoices, compare_case, rank_case
from parsers.debug.compare import WHOLE
from parsers.debug.feed import check_strategy
from parsers.debug.replay import DEFAULT_STRATEGIES, ReplayOptions, parse_case, replay
from parsers.debug.summary import Summary
from parsers.describe import NameCard, describe_names
from parsers.errors import CaseError, ParserscopeError
from parsers.files.case import Case, load_cases, read_cases
from parsers.files.home import app_home
from parsers.files.result import Result
from parsers.files.textfile import decode, read_file
from parsers.files.tools import read_tools
from parsers.plugins import PLUGINS_VARIABLE, load_plugin
from parsers.protocol import JsonObject
from parsers.templates.read import read_source, read_text
from parsers.templates.report import Report, report

STANDARD_STREAM = "-"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: what follows the command's name; None reads them from the process.

    Returns:
        The exit code.
    """
    options = _parser().parse_args(arguments)
    try:
        for plugin in options.plugin:
            load_plugin(plugin)
        code: int = options.run(options)
    except ParserscopeError as error:
        print(f"parserscope: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read our output has stopped, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="parserscope", description="A debugger for model output parsers.")
    parser.add_argument("--version", action="version", version=f"parserscope {__version__}")
    parser.add_argument(
        "--plugin", metavar="FILE", action="append", default=[], help="a Python file with your own formats; can repeat"
    )
    parser.set_defaults(run=_app, port=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", description="Without one: app.")
    _add_app(commands.add_parser("app", help="open the app in a browser"))
    _add_parse(commands.add_parser("parse", help="parse one raw output and print its fields as JSON"))
    _add_replay(commands.add_parser("replay", help="run a file of cases under several cuts of the stream"))
    _add_compare(commands.add_parser("compare", help="run cases in several ways and say where the answers part"))
    _add_fit(commands.add_parser("fit", help="find the parser names that fit a chat template"))
    _add_names(commands.add_parser("names", help="list the parser names and the markers they need"))
    return parser


# --- app --------------------------------------------------------------------------------------------


def _add_app(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, help="port to listen on (default: 8501, or the next free one)")
    parser.set_defaults(run=_app)


def _app(options: argparse.Namespace) -> int:
    port = [] if options.port is None else [f"--server.port={options.port}"]
    plugins = os.pathsep.join(str(Path(plugin).resolve()) for plugin in options.plugin)
    return subprocess.call(app_command(app_home(), port), env={**os.environ, PLUGINS_VARIABLE: plugins})


def app_command(home: Path, extra: Sequence[str] = ()) -> list[str]:
    """Return the command line that serves the app.

    Streamlit looks for its configuration in the working directory, so the project's own is passed as flags.

    Args:
        home: the folder with `app.py` and `.streamlit/config.toml`.
        extra: further flags.
    """
    config = tomllib.loads((home / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    flags = [f"--{name}={_flag_value(item)}" for name, value in _flatten(config) for item in _items(value)]
    return [sys.executable, "-m", "streamlit", "run", str(home / "app.py"), *flags, *extra]


def _items(value: object) -> list[object]:
    """A list's items: Streamlit takes a flag for each of them."""
    return value if isinstance(value, list) else [value]


def _flatten(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _flag_value(value: object) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


# --- parse ------------------------------------------------------------------------------------------


def _add_parse(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the model's raw output; - reads standard input")
    parser.add_argument("--reasoning-parser", metavar="NAME")
    parser.add_argument("--tool-parser", metavar="NAME")
    parser.add_argument(
        "--generation-prompt", metavar="TEXT", help="end of the prompt, which may open thinking"
    )
    parser.add_argument("--tools", metavar="FILE", help="function tools as JSON, for the types of arguments")
    _add_composition(parser)
    parser.set_defaults(run=_parse)


def _add_composition(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--composition",
        choices=get_args(Composition),
        default="unified",
        help="one engine for both names, or two parsers driven in phases as servers do it (default: unified)",
    )


def _parse(options: argparse.Namespace) -> int:
    case = Case(
        id=options.file,
        raw_output=_read_text(options.file),
        reasoning_parser=options.reasoning_parser,
        tool_parser=options.tool_parser,
        generation_prompt=options.generation_prompt,
        tools=read_tools(_read_text(options.tools)) if options.tools else [],
    )
    replay_options = ReplayOptions(composition=options.composition)
    print(parse_case(case, replay_options).model_dump_json(indent=2))
    return 0


# --- replay -----------------------------------------------------------------------------------------


def _add_replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "cases", metavar="CASES", help="a case file or a folder of them; - reads standard input"
    )
    parser.add_argument(
        "--strategies",
        type=_split_strategies,
        default=(),
        metavar="S,S,…",
        help=f"how to cut the streams (default: {','.join(DEFAULT_STRATEGIES)} and given)",
    )
    parser.add_argument("--call-commit", choices=["incremental", "on_close"], default="incremental")
    _add_composition(parser)
    parser.add_argument("--layer", choices=["serving", "parser"], default="serving")
    parser.add_argument("--deltas", action="store_true", help="keep the messages received in the results")
    parser.add_argument(
        "--sweep", action="store_true", help="also try every cut into two deltas, with ids and text only"
    )
    parser.add_argument(
        "-o", "--output", metavar="RESULTS", help="where results go (default: standard output)"
    )
    parser.add_argument("--jobs", type=_count, default=1, metavar="N", help="processes to use (default: 1)")
    parser.set_defaults(run=_replay)


def _split_strategies(text: str) -> tuple[str, ...]:
    """Split at commas, but not at those within `cuts:1,2`: no strategy begins with a digit."""
    return tuple(part.strip() for part in re.split(r",(?!\s*\d)", text) if part.strip())


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _replay(options: argparse.Namespace) -> int:
    cases = _read_cases(options.cases)
    for strategy in options.strategies:
        check_strategy(strategy)
    replay_options = ReplayOptions(
        options.call_commit, options.layer, options.deltas, options.sweep, options.composition
    )
    runs = replay(cases, options.strategies, replay_options, options.jobs)
    summary = Summary()
    with _output(options.output) as output:
        for case, results in zip(cases, _with_progress(runs, len(cases)), strict=True):
            output.writelines(f"{result.as_line()}\n" for result in results)
            summary.add(case, results)
    print(summary.text(), file=sys.stderr)
    return 0 if summary.all_matched else 1


def _with_progress(runs: Iterable[list[Result]], total: int) -> Iterable[list[Result]]:
    from tqdm import tqdm

    # `disable=None` draws only on a terminal; `delay` spares short runs.
    progress: Iterable[list[Result]] = tqdm(runs, total=total, unit="case", delay=2, disable=None)
    return progress


def _read_cases(name: str) -> list[Case]:
    if name == STANDARD_STREAM:
        return read_cases(_read_text(name).split("\n"), "standard input")
    return load_cases(Path(name))


# --- compare ----------------------------------------------------------------------------------------


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "cases", metavar="CASES", help="a case file or a folder of them; - reads standard input"
    )
    parser.description = (
        "Every NAME, cut and policy given is a column, compared with the case as it stands, token by token. Without "
        "any: streaming against whole. What a case has as observed is a column too."
    )
    parser.add_argument("--reasoning-parser", action="append", default=[], metavar="NAME", help="can repeat")
    parser.add_argument("--tool-parser", action="append", default=[], metavar="NAME", help="can repeat")
    parser.add_argument("--strategies", type=_split_strategies, default=(), metavar="S,S,…", help="as for replay")
    parser.add_argument("--call-commit", choices=["incremental", "on_close"], action="append", default=[])
    parser.add_argument("--composition", choices=get_args(Composition), action="append", default=[], help="can repeat")
    parser.add_argument("--all-names", action="store_true", help="rank every name by its answer instead")
    parser.add_argument(
        "-o", "--output", metavar="RESULTS", help="where results go (default: standard output)"
    )
    parser.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> int:
    cases = _read_cases(options.cases)
    for strategy in options.strategies:
        check_strategy("one" if strategy == WHOLE else strategy)
    choices = ColumnChoices(
        reasoning=options.reasoning_parser,
        tool=options.tool_parser,
        cuts=options.strategies,
        commits=options.call_commit,
        compositions=options.composition,
    )
    with _output(options.output) as output:
        if options.all_names:
            _print_rows(map(rank_case, cases), output)
            return 0
        return _print_comparisons(cases, choices or STREAMING_AGAINST_WHOLE, output)


def _print_comparisons(cases: Sequence[Case], choices: ColumnChoices, output: TextIO) -> int:
    differing = 0
    for case in cases:
        found = compare_case(case, choices)
        _print_rows([found.row()], output)
        if not found.same:
            differing += 1
            print(*(f"{case.id}: {sentence}" for sentence in found.sentences()), sep="\n", file=sys.stderr)
    print(f"{len(cases)} cases, {differing} differing", file=sys.stderr)
    return 1 if differing else 0


def _print_rows(rows: Iterable[JsonObject], output: TextIO) -> None:
    for row in rows:
        print(json.dumps(row, ensure_ascii=False), file=output, flush=True)


# --- fit --------------------------------------------------------------------------------------------


def _add_fit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="a template, a tokenizer_config.json, a folder of either or a hub name; - reads standard input",
    )
    parser.add_argument("--json", action="store_true", help="as JSON, one line a template")
    parser.set_defaults(run=_fit)


def _fit(options: argparse.Namespace) -> int:
    for source in options.sources:
        is_stream = source == STANDARD_STREAM
        for template in read_text(_read_text(source), "standard input") if is_stream else read_source(source):
            found = report(template)
            print(json.dumps(found.row(), ensure_ascii=False) if options.json else _fit_text(found), flush=True)
    return 0


def _fit_text(found: Report) -> str:
    halves = (("reasoning", found.fit.reasoning), ("tools", found.fit.tool))
    lines = [found.evidence.template.label, f"  generation prompt: {found.evidence.states()['default']}"]
    for half, groups in halves:
        for group in groups:
            names = ", ".join(name or "none needed" for name in group.names)
            lines.append(f"  {half}: {names} ({'; '.join(group.why)})")
    flags = {"vLLM": found.vllm, "SGLang": found.sglang}
    lines += [f"  {server}: {text}" for server, text in flags.items() if text]
    return "\n".join([*lines, *(f"  ! {sentence}" for sentence in found.warnings)])


# --- names ------------------------------------------------------------------------------------------


def _add_names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON, one object a name")
    parser.set_defaults(run=_names)


def _names(options: argparse.Namespace) -> int:
    cards = list(describe_names())
    print(_cards_json(cards) if options.json else _cards_table(cards))
    return 0


def _cards_json(cards: Sequence[NameCard]) -> str:
    return json.dumps([asdict(card) for card in cards], ensure_ascii=False, indent=2)


def _cards_table(cards: Sequence[NameCard]) -> str:
    rows = [("kind", "name", "format", "markers that are tokens")]
    for card in cards:
        tokens = " ".join(spelling for marker in card.markers if marker.token for spelling in marker.spellings)
        rows.append((card.kind, card.name, card.format, tokens.replace("\n", r"\n")))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


# --- files ------------------------------------------------------------------------------------------


def _read_text(name: str) -> str:
    """Return the text of a file, or of standard input for `-`."""
    if name == STANDARD_STREAM:
        return decode(sys.stdin.buffer.read(), "Standard input")
    return read_file(Path(name))


@contextmanager
def _output(name: str | None) -> Iterator[TextIO]:
    if name is None or name == STANDARD_STREAM:
        yield sys.stdout
        return
    try:
        file = open(name, "w", encoding="utf-8")  # noqa: SIM115 - only opening may fail with this sentence
    except OSError as error:
        raise CaseError(f"The result file {name} cannot be written: {error.strerror}.") from error
    with file:
        yield file
