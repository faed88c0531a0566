/** What the main process has this page show; `told` is a line under the test card. */
type Override =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "test-card"; readonly told: string };

Object.assign(globalThis, { show });

const message = document.getElementById("message") as HTMLElement;
const card = document.getElementById("card") as HTMLElement;
const time = document.getElementById("time") as HTMLElement;

/** A picture that stands still is told by this from a display that does. */
const TICKS_EVERY_MS = 100;

function show(override: Override): void {
  const isMessage = override.kind === "message";
  message.hidden = !isMessage;
  card.hidden = isMessage;
  if (isMessage) {
    message.textContent = override.text;
    fitText();
  } else {
    // Of the display, however it is scaled.
    const [width, height] = [innerWidth, innerHeight].map((length) => Math.round(length * devicePixelRatio));
    (document.getElementById("told") as HTMLElement).textContent = `${override.told}, ${width} x ${height}`;
  }
}

/** The sizes at which a message is tried, in hundredths of the smaller side; its own lines are kept down to the middle one. */
const LARGEST = 16;
const READABLE = 6;
const SMALLEST = 2;
const STEP = 0.5;

function fitText(): void {
  if (!fits("pre", READABLE)) fits("pre-line", SMALLEST);
}

/** Takes the largest size at which nothing is cut off; says whether there is one. */
function fits(whiteSpace: "pre" | "pre-line", smallest: number): boolean {
  message.style.whiteSpace = whiteSpace;
  for (let size = LARGEST; size >= smallest; size -= STEP) {
    message.style.fontSize = `${size}vmin`;
    if (message.scrollHeight <= message.clientHeight && message.scrollWidth <= message.clientWidth) return true;
  }
  return false;
}

addEventListener("resize", fitText);
setInterval(() => {
  time.textContent = new Date().toISOString().slice(0, -2);
}, TICKS_EVERY_MS);
