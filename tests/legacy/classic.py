"""Tokens and streams for the classic parsers: one letter is one token, S and E stand for the markers."""

from itertools import pairwise

from parsers.protocol import Accumulator
from parsers.tokens import bundled

SPELLED = {"S": "<think>", "E": "</think>"}
TOKENIZER = bundled.load(tuple(SPELLED.values()))


def ids_of(word):
    """The ids of a word, a letter each."""
    return [TOKENIZER.vocab[SPELLED.get(letter, letter)] for letter in word]


def text_of(word):
    """The text of a word, markers spelled out."""
    return "".join(SPELLED.get(letter, letter) for letter in word)


def stream(parser, *deltas):
    """The parser's answers to deltas of (text, ids), fed the way a classic driver does."""
    text, ids, answers = "", [], []
    for delta_text, delta_ids in deltas:
        now, all_ids = text + delta_text, ids + delta_ids
        answers.append(parser.extract_reasoning_streaming(text, now, delta_text, ids, all_ids, delta_ids))
        text, ids = now, all_ids
    return answers


def calls_stream(parser, pieces):
    """A tool parser's answers to pieces of text, and to the end."""
    text, answers = "", []
    for piece in pieces:
        answers.append(parser.extract_tool_calls_streaming(text, text + piece, piece, [], [], []))
        text += piece
    return [*answers, parser.finish_streaming()]


def fields(answers):
    """Reasoning, content and (name, arguments) of each call, summed."""
    total = Accumulator()
    for answer in answers:
        total.add(answer)
    return total.reasoning, total.content, [(call.name, call.arguments) for call in total.calls]


def cut(whole, edges):
    """`whole` in pieces, cut at each position of `edges`."""
    ends = [0, *sorted(edges), len(whole)]
    return [whole[start:end] for start, end in pairwise(ends)]
