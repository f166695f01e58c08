// Keeps two steppers at the same raw character: it watches the step each shows and types the other's into its box, as a
// reader would.

const LOOK_EVERY = 100;
const started = new WeakMap();

/** The stepper inside the container with a key, through the shadow root of its component; null while there is none. */
function stepperIn(key) {
  for (const element of document.querySelectorAll(`.st-key-${key} *`)) {
    const found = element.shadowRoot?.querySelector(".stepper[data-step]");
    if (found) return found;
  }
  return null;
}

/** The delta of the other side that shows what `position` shows here; the ends belong together. */
export function counterpart(here, there, position) {
  if (position >= here.length - 1) return there.length - 1;
  const found = there.findIndex((shown) => shown >= here[position]);
  return found < 0 ? there.length - 1 : found;
}

const positionOf = (stepper) => Number(stepper.dataset.step) - 1;

function go(stepper, position) {
  const box = stepper.querySelector("[data-set=number]");
  box.value = position + 1;
  box.dispatchEvent(new Event("change"));
}

/** Follow each other from now on; returns the function that stops it. */
function follow(steppers, shown, isLocked) {
  const driven = [-1, -1];
  const observers = steppers.map((stepper, side) => {
    const observer = new MutationObserver(() => {
      const position = positionOf(stepper);
      const echo = driven[side] === position;
      driven[side] = -1;
      if (echo || !isLocked()) return;
      const wanted = counterpart(shown[side], shown[1 - side], position);
      if (wanted === positionOf(steppers[1 - side])) return;
      driven[1 - side] = wanted;
      go(steppers[1 - side], wanted);
    });
    observer.observe(stepper, { attributes: true, attributeFilter: ["data-step"] });
    return observer;
  });
  return () => observers.forEach((observer) => observer.disconnect());
}

export default function mount({ data, parentElement }) {
  const box = parentElement.querySelector(".lock input");
  let stop = () => {};
  let timer = 0;
  const begin = () => {
    const steppers = data.keys.map(stepperIn);
    if (steppers.includes(null)) {
      timer = setTimeout(begin, LOOK_EVERY);
      return;
    }
    const request = data.start.join();
    if (started.get(box) !== request) {
      steppers.forEach((stepper, side) => go(stepper, data.start[side]));
      box.parentElement.scrollIntoView({ block: "start" });
    }
    started.set(box, request);
    stop = follow(steppers, data.shown, () => box.checked);
  };
  begin();
  return () => {
    clearTimeout(timer);
    stop();
  };
}
