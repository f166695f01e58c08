"""Prints how long a step in the browser takes, at three lengths of the trace.

`pytest benchmarks/test_stepper.py`. A step is measured from the key or click to the moment the page holds the
new delta; goal 8 ms or less, the same at every length. First paint: from opening the address, nothing cached,
to the first delta; goal 2 s or less for 5,000 deltas, of which Streamlit's own start takes most.
"""

from __future__ import annotations

from statistics import median

import pytest

from tests.browser.conftest import browser, contexts, stepper_app, visit  # noqa: F401

STEPS = 60
MEASURE = """
async ([selector, key, steps]) => {
  const shadows = [...document.querySelectorAll("*")].map((element) => element.shadowRoot);
  const root = shadows.map((shadow) => shadow?.querySelector(".stepper")).find(Boolean);
  const times = [];
  for (let k = 0; k < steps; k++) {
    await new Promise((done) => setTimeout(done, 20));
    times.push(await new Promise((done) => {
      let start = 0;
      const seen = new MutationObserver(() => { seen.disconnect(); done(performance.now() - start); });
      seen.observe(root, { attributes: true, attributeFilter: ["data-step"] });
      start = performance.now();
      const press = new KeyboardEvent("keydown", { key, bubbles: true, composed: true });
      if (key) document.body.dispatchEvent(press);
      else root.querySelector(selector).click();
    }));
  }
  return times;
}
"""


@pytest.mark.benchmark
@pytest.mark.parametrize("deltas", [500, 5_000, 50_000])
def test_step_latency(deltas, visit, stepper_app, capsys):  # noqa: F811
    visit(stepper_app).open(f"?deltas={deltas}")  # the server has made the trace before the clock starts
    page = visit(stepper_app, cold=True).open(f"?deltas={deltas}")
    paint = page.evaluate("performance.getEntriesByName('stepper shown')[0].startTime") / 1000
    page.locator(".stepper input[type=range]").fill(str(deltas // 2))
    clicks = page.evaluate(MEASURE, ["[data-do=next]", None, STEPS])
    keys = page.evaluate(MEASURE, [None, "ArrowRight", STEPS])
    with capsys.disabled():
        print(
            f"\n{deltas:>7,} deltas: first paint {paint:.2f} s, click {median(clicks):.1f} ms "
            f"(p95 {sorted(clicks)[int(STEPS * 0.95)]:.1f}), key {median(keys):.1f} ms "
            f"(p95 {sorted(keys)[int(STEPS * 0.95)]:.1f})"
        )
    assert len(clicks) == len(keys) == STEPS
