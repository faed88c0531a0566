import type { DashboardView } from "../control/dashboard-view.ts";
import { tell } from "./control-calls.ts";
import { button, byId, element, fillRows } from "./dom.ts";
import { timeOfDay } from "./words.ts";

/** A second press within this time means it: a reset cannot be taken back. */
const MEANT_WITHIN_MS = 4_000;

/** Makes the form that keeps a snapshot, and the button that resets, once. */
export function makeState(): void {
  const name = element("input", "");
  name.setAttribute("aria-label", "Name of the snapshot");
  name.placeholder = "name";
  name.maxLength = 64;
  name.required = true;
  name.pattern = "[A-Za-z0-9_.\\-]+";
  name.title = "1 to 64 of A-Z a-z 0-9 _ . -";
  const keep = button("Keep", "Keep a snapshot", async () => {
    if (!name.reportValidity()) return;
    await tell("PUT", pathOf(name.value), undefined, `the snapshot ${name.value} is kept`);
    name.value = "";
  });
  name.addEventListener("keydown", ({ key }) => key === "Enter" && keep.click());
  byId("state").append(name, keep, resetButton());
}

/** Draws the snapshots that are kept. */
export function drawState({ snapshots }: DashboardView): void {
  const rows = snapshots.map(({ name, at }) => ({
    key: name,
    says: at,
    make: () => [
      element("strong", "grow", name),
      element("span", "quiet", timeOfDay(Date.parse(at))),
      button("Restore", `Restore the snapshot ${name}`, () =>
        tell("POST", `${pathOf(name)}/restore`, undefined, `everything is as in ${name}`),
      ),
      button("Remove", `Remove the snapshot ${name}`, () =>
        tell("DELETE", pathOf(name), undefined, `the snapshot ${name} is gone`),
      ),
    ],
  }));
  fillRows(byId("snapshots"), rows, "no snapshots kept");
}

function resetButton(): HTMLButtonElement {
  let pressedAt = Number.NEGATIVE_INFINITY;
  const made = button("Reset", "Reset to the world it started with", async () => {
    const meant = performance.now() - pressedAt < MEANT_WITHIN_MS;
    pressedAt = meant ? Number.NEGATIVE_INFINITY : performance.now();
    if (meant) await tell("POST", "/control/reset", undefined, "everything is as it was at the start");
    name(meant ? "Reset" : "Really reset?");
    if (!meant) setTimeout(() => name("Reset"), MEANT_WITHIN_MS);
  });
  const name = (label: string) => {
    made.textContent = label;
    made.setAttribute("aria-label", label === "Reset" ? "Reset to the world it started with" : "Really reset?");
  };
  return made;
}

function pathOf(name: string): string {
  return `/control/snapshots/${encodeURIComponent(name)}`;
}
