// Unit tests of the pure functions behind the panels; run by test_stepper_js.py, which says where module and trace are.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

const s = await import(process.env.STEPPER_MODULE);
const trace = s.prepare(JSON.parse(readFileSync(process.env.STEPPER_TRACE, "utf8")));
const { serving } = trace;
const all = Array.from({ length: trace.n }, (_, i) => i);
const lineNumbers = serving.lines.map((_, line) => line);

/** The trace with one delta's message and serving changed. */
function changed(i, message, audit = serving.audit) {
  const steps = { ...trace.steps, message: trace.steps.message.map((kept, k) => (k === i ? message : kept)) };
  return { ...trace, steps, serving: { ...serving, audit } };
}

describe("lines", () => {
  test("every line has one place: it opens, belongs to the delta that lists it, or closes", () => {
    const places = all.flatMap((i) => {
      const [first, last] = s.linesOf(trace, i);
      return new Array(last - first).fill(i);
    });
    const closing = serving.lines.length - serving.line_of.at(-1);
    const expected = [...new Array(serving.line_of[0]).fill("opening"), ...places, ...new Array(closing).fill("closing")];
    assert.deepEqual(lineNumbers.map((line) => s.placeOf(trace, line)), expected);
  });

  test("a delta's lines are the last the client has; the closing ones come with the last delta", () => {
    for (const i of all.slice(0, -1)) assert.equal(s.sentBy(trace, i), s.linesOf(trace, i)[1]);
    assert.equal(s.sentBy(trace, trace.n - 1), serving.lines.length);
  });

  for (const [name, message, audit, why] of [
    ["the delta's own sentence", null, undefined, /^Held back: `<\/` may become `<\/think>`\.$/],
    ["P-40", { reasoning: "x" }, undefined, /^Reasoning is hidden .*P-40/],
    ["P-24", { tool_calls: [{ index: 0 }] }, undefined, /P-24, P-26/],
    ["P-27", { content: "" }, undefined, /P-27/],
    ["P-27 when nothing is hidden", { reasoning: "x" }, { ...serving.audit, hidden: false }, /P-27/],
  ]) {
    test(`why nothing is sent: ${name}`, () => {
      const held = trace.steps.buffer.indexOf("</");
      assert.match(s.whyNothing(changed(held, message, audit), held), why);
    });
  }

  test("why nothing is sent when the delta has no sentence", () => {
    assert.equal(s.whyNothing({ ...changed(0, null), sentences: [] }, 0), "The parser has nothing to say.");
  });

  test("the JSON of a line, and none where there is none", () => {
    assert.deepEqual(s.jsonOf('data: {"a": [1]}'), { a: [1] });
    assert.equal(s.jsonOf("data: [DONE]"), undefined);
  });

  test("only the head of a line is folded, whatever a model writes", () => {
    const head = 'data: {"id": "a", "model": "m", "choices": [';
    assert.equal(s.foldHead(`${head}{"index": 0, "delta": {"content": "\\"choices\\": "}}]}`), 'data: {… "delta": {"content": "\\"choices\\": "}}]}');
    assert.equal(s.foldHead(`${head}], "usage": {}}`), 'data: {… "choices": [], "usage": {}}');
    assert.equal(s.foldHead(`${head}{"index": 1, "delta": {}}]}`), 'data: {… "choices": [{"index": 1, "delta": {}}]}');
    for (const line of ["data: [DONE]", 'data: {"error": {"message": "x"}}']) assert.equal(s.foldHead(line), line);
  });
});

describe("the list of lines", () => {
  const view = 16;

  test("what is in view is in the page, wherever the list is scrolled to", () => {
    for (const count of [0, 1, 15, 16, 17, 40, 50000]) {
      for (let up = 0; up <= Math.max(0, count - view) * 20; up += count > 100 ? 9973 : 7) {
        const first = s.firstDrawn(count, up);
        const bottom = count - Math.floor(up / 20);
        assert.ok(first >= 0 && first <= Math.max(0, bottom - view - 1), `${count} ${up}`);
        assert.ok(first + 24 >= Math.min(count, bottom), `${count} ${up}`);
      }
    }
  });

  test("a line is brought into view by the least movement", () => {
    assert.equal(s.upFor(99, 100, 0), 0);
    assert.equal(s.upFor(0, 100, 0), 84 * 20);
    assert.equal(s.upFor(99, 100, 1000), 0);
    assert.equal(s.upFor(60, 100, 500), 500);
    assert.equal(s.upFor(3, 10, 0), 0);
  });
});

describe("constraint", () => {
  const { freedom, why, sentences } = serving.timeline;

  test("runs cover all tokens once and show the strictest", () => {
    for (const columns of [1, 7, 300]) {
      const runs = s.freedomRuns(freedom, columns);
      assert.deepEqual([runs[0].start, runs.at(-1).end], [0, freedom.length]);
      runs.slice(1).forEach((run, k) => assert.deepEqual([run.start, run.freedom === runs[k].freedom], [runs[k].end, false]));
      assert.ok(runs.length <= columns);
      assert.ok(runs.some((run) => run.freedom === Math.max(...freedom)));
    }
    assert.deepEqual(s.freedomRuns([], 300), []);
  });

  test("a delta's tokens keep their own freedom and sentence", () => {
    for (const i of all) {
      for (const { start, end, freedom: kind, sentence } of s.freedomAt(trace, i)) {
        for (let token = start; token < end; token++) assert.deepEqual([freedom[token], sentences[why[token]]], [kind, sentence]);
      }
    }
  });

  test("a delta across a border has a sentence for each side", () => {
    const two = { ...trace, steps: { ...trace.steps, tok: [0, 5] } };
    assert.deepEqual(s.freedomAt(two, 0).map(({ freedom: kind, start, end }) => [kind, start, end]), [[0, 0, 3], [1, 3, 5]]);
  });

  test("a chip says its freedom, and the first of a kind its letter", () => {
    assert.deepEqual([0, 2, 3, 4].map((token) => s.freedomLook(trace, token)), [" f-free", " f-free", " f-masked turns", " f-masked"]);
    for (const absent of [{ serving: null }, {}, { serving: { ...serving, timeline: null } }]) {
      assert.equal(s.freedomLook({ ...trace, serving: undefined, ...absent }, 3), "");
    }
  });
});

describe("audit and counts", () => {
  test("each field has one row, and a leak is not clean (P-44)", () => {
    const rows = s.auditRows(serving.audit);
    assert.equal(new Set(rows.map((row) => row.field)).size, rows.length);
    const outcomes = Object.fromEntries(rows.map(({ field, outcome }) => [field, outcome]));
    assert.deepEqual(
      ["content", "logprobs.token", "token_ids"].map((field) => outcomes[field]),
      ["clean", "leak", "unreadable"],
    );
    assert.deepEqual(rows.find((row) => row.outcome === "leak").texts, [serving.audit.leaks[0].text]);
  });

  test("a leak in a field that was not listed is not lost", () => {
    const rows = s.auditRows({ checked: [], leaks: [{ field: "id", text: "x" }], unreadable: [] });
    assert.deepEqual(rows, [{ field: "id", outcome: "leak", texts: ["x"] }]);
  });

  test("the verdict warns of a leak", () => {
    assert.ok(s.verdict(trace).parts.includes("hidden reasoning can be read in 1 field"));
  });

  for (const [reported, generated, why] of [[5, 5, /^$/], [5, null, /^$/], [22, 0, /P-38/], [null, null, /P-35/]]) {
    test(`reasoning tokens ${reported}, by generated ids ${generated}`, () => {
      assert.match(s.whyCounts({ reasoning_tokens: reported, reasoning_generated_only: generated }), why);
    });
  }
});

describe("delegating", () => {
  const ended = trace.steps.gate.findIndex(([isEnded]) => isEnded);

  test("what one delta leaves is what the next one finds (D-15)", () => {
    for (const i of all.slice(1)) {
      assert.deepEqual(s.stateRows(trace, i).map((row) => row.before), s.stateRows(trace, i - 1).map((row) => row.after));
    }
  });

  test("changed rows are those whose value differs", () => {
    const rows = s.stateRows(trace, ended).filter((row) => row.changed).map((row) => row.field);
    assert.deepEqual(rows, ["reasoning_ended", "tool_call_text_started", "previous_text"]);
  });

  test("all eight phases stand in order, each with what it did", () => {
    const phases = s.phasesAt(trace, ended);
    assert.deepEqual(phases.map((phase) => phase.name), trace.delegating.phases);
    assert.deepEqual(phases.map((phase) => phase.clauses.length), [0, 1, 1, 1, 0, 1, 0, 0]);
  });
});
