// Unit tests of the stepper's pure functions; run by test_stepper_js.py, which says where module and trace are.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, test } from "node:test";

const s = await import(process.env.STEPPER_MODULE);
const text = readFileSync(process.env.STEPPER_TRACE, "utf8");
const trace = s.prepare(JSON.parse(text));
const all = Array.from({ length: trace.n }, (_, i) => i);

/** The same thing by the simplest means: what a fast lookup must agree with. */
const slowly = {
  above: (list, value) => list.filter((x) => x <= value).length,
  tokensIn: (start, end) => trace.tokens.start.map((_, k) => k).filter((k) => trace.tokens.start[k] < end && trace.tokens.end[k] > start),
};

describe("reading a trace", () => {
  test("gzip bytes become the trace again", async () => {
    assert.deepEqual(await s.unpack(gzipSync(text)), JSON.parse(text));
  });

  test("delta texts add up to the raw output, with an emoji on the way", () => {
    assert.match(trace.raw, /\u{1f327}/u);
    assert.equal(all.map((i) => s.deltaText(trace, i)).join(""), trace.raw);
  });

  test("every token belongs to the delta that lists it", () => {
    for (const i of all) {
      const [first, last] = s.tokensOf(trace, i);
      for (let token = first; token < last; token++) assert.equal(s.deltaOf(trace, token), i);
    }
  });

  test("fields grow to their end, and their new part begins where the last delta ended", () => {
    for (const name of ["reasoning", "content"]) {
      for (const i of all.slice(1)) assert.equal(s.fieldAt(trace, i, name).fresh, s.fieldAt(trace, i - 1, name).length);
      assert.equal(s.fieldAt(trace, trace.n - 1, name).text, trace.fields[name]);
    }
  });

  test("calls appear in order and are complete at the end", () => {
    const calls = s.callsAt(trace, trace.n - 1);
    assert.deepEqual(calls.map((call) => [call.index, call.text, call.status]), trace.fields.calls.map((call) => [call.index, call.arguments, "complete"]));
    const opened = all.find((i) => s.callsAt(trace, i).length === 1);
    assert.deepEqual(s.callsAt(trace, opened).map(({ status, isNew, text }) => [status, isNew, text]), [["open", true, ""]]);
  });
});

describe("the verdict", () => {
  const whole = { ...trace, laws: [{ law: "Account", ok: true }] };

  test("names what was found", () => {
    const { state, parts } = s.verdict(whole);
    assert.equal(state, "ok");
    assert.match(parts.join(" · "), /^reasoning [\d,]+ characters · content [\d,]+ characters · 2 calls: get_weather, get_weather · all 1 laws hold · /);
  });

  test("says so when nothing was found", () => {
    assert.equal(s.verdict({ ...whole, fields: { reasoning: null, content: null, calls: [] } }).parts[0], "no field got any text");
  });

  test("warns of calls that were cut off", () => {
    const calls = [{ ...trace.fields.calls[0], complete: false }];
    const { state, parts } = s.verdict({ ...whole, fields: { ...trace.fields, calls } });
    assert.deepEqual([state, parts.includes("1 call is incomplete")], ["warned", true]);
  });

  test("names broken laws before anything else counts", () => {
    const { state, parts } = s.verdict(trace);
    assert.deepEqual([state, parts.includes("broken: No leak")], ["broken", true]);
  });
});

describe("moving", () => {
  test("above agrees with counting", () => {
    for (const list of [[], [3], [1, 1, 4, 9]]) for (let v = 0; v < 11; v++) assert.equal(s.above(list, v), slowly.above(list, v));
  });

  test("jump goes to the next and previous entry and stops at the ends", () => {
    const list = [2, 5, 9];
    assert.deepEqual([0, 2, 4, 9].map((at) => s.jump(list, at, 1)), [2, 5, 5, null]);
    assert.deepEqual([0, 2, 4, 10].map((at) => s.jump(list, at, -1)), [null, null, 2, 9]);
  });

  test("jumps by kind land where that kind of thing happens", () => {
    for (const i of trace.jumps.state) assert.notEqual(trace.steps.state[i], trace.steps.state[i - 1]);
    for (const i of trace.jumps.held) assert.notEqual(s.heldText(trace.steps, i), "");
    for (const i of trace.jumps.row) assert.ok(trace.steps.rows[i].length);
    for (const i of trace.jumps.event) assert.ok(trace.steps.events[i].some(([type]) => s.isBoundary(type)));
    for (const kind of s.JUMPS) assert.ok(trace.jumps[kind].length, kind);
  });

  test("the delta that shows an offset is the first one that does", () => {
    for (let offset = 1; offset <= trace.raw.length; offset++) {
      assert.equal(s.deltaShowing(trace, offset), trace.steps.shown.findIndex((shown) => shown >= offset));
    }
  });

  test("another cut of the same text opens at the same place, another text nowhere", () => {
    assert.equal(s.samePlace(trace, 17, trace), 17);
    assert.equal(s.samePlace(trace, 17, { ...trace, raw: "other" }), null);
    assert.equal(s.samePlace(null, 0, trace), null);
  });

  test("find lists every place, overlapping ones too", () => {
    assert.deepEqual(s.findAll("aaa", "aa"), [0, 1]);
    assert.deepEqual(s.findAll("aaa", ""), []);
  });
});

describe("origin", () => {
  const outputs = [
    ["reasoning", -1, trace.fields.reasoning],
    ["content", -1, trace.fields.content],
    ...trace.fields.calls.map((call, k) => ["call", k, call.arguments]),
  ];

  test("every character of every output is the raw character it came from", () => {
    for (const [field, call, text] of outputs) {
      for (let at = 0; at < text.length; at++) {
        const source = s.sourceOf(trace, field, call, at);
        assert.equal(trace.raw.slice(...source.raw), text[at]);
        assert.ok(trace.tokens.start[source.tokens[0]] <= source.raw[0] && source.raw[1] <= trace.tokens.end[source.tokens[1] - 1]);
      }
      assert.equal(s.sourceOf(trace, field, call, text.length), null);
    }
  });

  test("a piece of another length is taken as a whole", () => {
    const piece = { ...trace, origin: { reasoning: [[0, 1, 4, 9, "escape"]], content: [], calls: [] } };
    assert.deepEqual(s.sourceOf(piece, "reasoning", -1, 0).raw, [4, 9]);
    assert.deepEqual(s.outputsOf(piece, 5, 6), [{ field: "reasoning", call: -1, out: [0, 1], rule: "escape" }]);
  });

  test("tokens of a raw range agree with looking at all of them", () => {
    for (let start = 0; start < trace.raw.length; start += 3) {
      const [first, last] = s.tokensIn(trace, start, start + 4);
      const expected = slowly.tokensIn(start, start + 4);
      assert.deepEqual([first, last - 1], [expected[0], expected.at(-1)]);
    }
  });

  test("where a token went and where it came from agree", () => {
    trace.tokens.start.forEach((start, token) => {
      for (const { field, call, out } of s.outputsOf(trace, start, trace.tokens.end[token])) {
        assert.deepEqual(s.sourceOf(trace, field, call, out[0]).tokens[0], token);
      }
    });
  });

  test("the account has one entry for every raw character", () => {
    for (let at = 0; at < trace.raw.length; at++) assert.equal(s.accountOf(trace, at, at + 1).length, 1);
  });
});

describe("text", () => {
  for (const [given, shown] of [
    [" a  b ", "␣a␣␣b␣"], ["a b", "a b"], ["a\nb\t", "a⏎b⇥"], ["\u202e", "⟨U+202E⟩"], ["<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
  ]) test(`visible: ${JSON.stringify(given)}`, () => assert.equal(s.visible(given), shown));

  test("a token's own leading space stays a space", () => {
    assert.deepEqual([" word", " ", "  x"].map(s.visibleToken), [" word", "␣", "␣␣x"]);
  });

  test("the tail never begins inside an emoji", () => {
    assert.deepEqual([1, 2, 3].map((most) => "a\u{1f327}b".slice(s.tailStart("a\u{1f327}b", most))), ["b", "b", "\u{1f327}b"]);
  });

  test("runs cut at every border and keep all units", () => {
    const runs = s.runs(0, 6, [{ start: 1, end: 4, name: "a" }, { start: 3, end: 6, name: "b" }, { start: 2, end: 2, name: "empty" }]);
    assert.deepEqual(runs, [
      { start: 0, end: 1, names: [] }, { start: 1, end: 3, names: ["a"] }, { start: 3, end: 4, names: ["a", "b"] }, { start: 4, end: 6, names: ["b"] },
    ]);
  });

  test("code in a sentence", () => {
    assert.deepEqual(s.splitCode("`</` may become `</think>`."), [["</", true], [" may become ", false], ["</think>", true], [".", false]]);
  });

  test("how much of a marker has been seen", () => {
    assert.deepEqual([["x</th", "</think>"], ["", "<a>"], ["zz", "<a>"]].map(([b, m]) => s.seenPart(b, m)), [4, 0, 0]);
  });

  test("printed JSON parses to the same value and stays narrow where it can", () => {
    const value = { tool_calls: [{ index: 0, id: "call-0", function: { name: "get_weather", arguments: '{"a": [1, 2]}' } }], content: null };
    const printed = s.printJson(value, 46);
    assert.deepEqual(JSON.parse(printed), value);
    assert.ok(printed.split("\n").every((line) => line.length <= 46), printed);
  });
});

describe("layout", () => {
  const states = Array.from({ length: 11 }, (_, k) => `LONG_STATE_${k}`);
  const rows = Array.from({ length: 40 }, (_, k) => ({ from: (k * 7) % 11, to: (k * 5 + 3) % 11, terminal: `T${k}`, events: [] }));

  test("rows between the same two states share an arc, and none is lost", () => {
    const arcs = s.mergeRows(rows);
    assert.deepEqual(arcs.flatMap((arc) => arc.rows).sort((a, b) => a - b), rows.map((_, k) => k));
    assert.equal(new Set(arcs.map((arc) => `${arc.from}>${arc.to}`)).size, arcs.length);
  });

  test("arcs in one lane do not cross", () => {
    const arcs = s.mergeRows(rows).filter((arc) => arc.to > arc.from);
    s.laneArcs(arcs);
    for (const a of arcs) for (const b of arcs) {
      if (a !== b && a.lane === b.lane) assert.ok(a.to <= b.from || b.to <= a.from, `${a.from}>${a.to} ${b.from}>${b.to}`);
    }
  });

  for (const [width, height] of [[580, 120], [960, 150], [1300, 220]]) {
    test(`11 states and 40 rows stay inside ${width} x ${height}`, () => {
      const { nodes, arcs } = s.layoutGraph(states, rows, width, height);
      for (const node of nodes) assert.ok(node.x - node.width / 2 >= 0 && node.x + node.width / 2 <= width);
      nodes.slice(1).forEach((node, k) => assert.ok(node.x - node.width / 2 > nodes[k].x + nodes[k].width / 2));
      for (const arc of arcs) assert.ok(arc.labelY >= 0 && arc.labelY <= height, `${arc.labelY}`);
    });
  }

  test("a window of tokens holds the cursor and stays inside the stream", () => {
    for (let token = 0; token < 500; token++) {
      const from = s.windowStart(token, 500, 240);
      assert.ok(from >= 0 && from + 240 <= 500 && token >= from && token < from + 240);
    }
    assert.equal(s.windowStart(3, 10, 240), 0);
  });

  test("the lanes show every kind that occurs, at any width", () => {
    const kinds = new Set(trace.tokens.kind);
    for (const columns of [7, 100, 3000]) {
      const seen = s.laneBits(trace, columns).reduce((a, b) => a | b, 0);
      for (const kind of kinds) assert.ok(seen & (1 << kind));
      assert.ok(s.laneBits(trace, columns).every((bits) => bits > 0));
    }
  });

  test("the calls shown include the current one", () => {
    assert.deepEqual([[3, 1], [100, 99], [100, 4], [100, -1]].map(([n, current]) => s.firstCall(n, current)), [0, 80, 4, 80]);
  });
});

describe("trails", () => {
  test("a marker token tells its row", () => {
    const token = trace.tokens.text.indexOf("<tool_call>");
    const trail = s.trailOfToken(trace, token);
    assert.deepEqual([trail.tokens, trail.outs, trace.rows[trail.row].terminal], [[token, token + 1], [], "TOOL_START"]);
    assert.match(trail.text, /→ marker TOOL_START, row CONTENT —TOOL_START→ TOOL_PREAMBLE · TOOL_CALL_START$/);
  });

  test("a dropped token tells its rule", () => {
    const token = trace.tokens.kind.indexOf(s.KINDS.indexOf("dropped"));
    assert.match(s.trailOfToken(trace, token).text, /→ dropped: /);
  });

  test("a character tells its token and its place", () => {
    const trail = s.trailOfCharacter(trace, "reasoning", -1, 0);
    assert.match(trail.text, /^“T” in reasoning came from token 0 “The” \(id \d+\), delta 1, raw 0–1, rule “text”/);
    assert.deepEqual(trail.outs.map(({ field, out }) => [field, out]), [["reasoning", [0, 1]]]);
  });

  test("a rule that is a row is that row, though the account names none", () => {
    const origin = { ...trace.origin, content: trace.origin.content.map((piece) => [...piece.slice(0, 4), trace.rows[2].id]) };
    assert.equal(s.trailOfCharacter({ ...trace, origin }, "content", -1, 0).row, 2);
  });

  test("a character that no raw text stands for says so", () => {
    const trail = s.trailOfCharacter(trace, "content", -1, 1e6);
    assert.deepEqual([trail.tokens, trail.row, trail.delta], [[0, 0], -1, undefined]);
    assert.match(trail.text, /made this character itself/);
  });

  test("a token without text went nowhere", () => {
    const silent = structuredClone(trace);
    silent.tokens.start[3] = silent.tokens.end[3] = 4;
    assert.match(s.trailOfToken(silent, 3).text, /no text of its own/);
  });
});
