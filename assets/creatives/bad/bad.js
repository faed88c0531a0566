/** By this frame, a second after the first, a photo has shown what is on. */
const MISDEED_FRAME = 60;

const counter = document.getElementById("counter");
let frame = 0;

function count() {
  counter.textContent = String(frame).padStart(3, "0");
  requestAnimationFrame(count);
  frame += 1;
  // A frame late, so that the number is on the screen before.
  if (frame === MISDEED_FRAME + 2) window.misbehave?.();
}
requestAnimationFrame(count);

/** Adds a line to what the page tells of itself. */
window.tell = (line) => {
  document.getElementById("told").textContent += `${line}\n`;
};
