"""Learn the merges of the bundled tokenizer from `tools/corpus/` and write them into the package.

    python tools/make_tokenizer.py            write the merges file
    python tools/make_tokenizer.py --check    exit 1 when the file differs from what would be written

The corpus is original text: English prose, a list of common words, code, JSON, XML, and some text in other
languages. The result depends on nothing but the corpus, so every run writes the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

CORPUS = Path(__file__).parent / "corpus"
OUTPUT = Path(__file__).parent.parent / "parsers" / "tokens" / "bundled_merges.txt"
MERGE_COUNT = 4096


def learn_merges(corpus: list[str]) -> list[str]:
    """Return the merges, most frequent first, as lines of two vocabulary spellings with a space between."""
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    size = len(alphabet) + MERGE_COUNT
    trainer = trainers.BpeTrainer(
        vocab_size=size, min_frequency=1, initial_alphabet=alphabet, show_progress=False
    )
    library.train_from_iterator(corpus, trainer)
    return [" ".join(pair) for pair in json.loads(library.to_str())["model"]["merges"]]


def render() -> str:
    """Return the whole merges file."""
    corpus = [path.read_text(encoding="utf-8") for path in sorted(CORPUS.glob("*.txt"))]
    return "\n".join(learn_merges(corpus)) + "\n"


def main() -> int:
    """Write the merges file, or compare it with a fresh one; return the exit code."""
    options = argparse.ArgumentParser(description="Learn the merges of the bundled tokenizer.")
    options.add_argument("--check", action="store_true", help="compare instead of writing")
    text = render()
    if not options.parse_args().check:
        OUTPUT.write_text(text, encoding="utf-8")
        return 0
    if OUTPUT.read_text(encoding="utf-8") == text:
        return 0
    print(f"{OUTPUT.name} is out of date: run {Path(__file__).name}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
