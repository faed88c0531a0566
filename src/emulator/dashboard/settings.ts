import type { DashboardView, ViewedSwitch } from "../control/dashboard.ts";
import { button, byId, element, fillRows, tell, timeOfDay } from "./dom.ts";

type Reading = DashboardView["clock"];

const SPEEDS = [1, 10, 60, 600] as const;
const ADVANCES = [
  ["15 s", 15_000],
  ["1 min", 60_000],
  ["1 h", 3_600_000],
  ["1 day", 86_400_000],
] as const;

/** Makes the clock's controls, once. */
export function makeClock(current: () => Reading | null): void {
  const freeze = button("Freeze", "Freeze the clock", () => {
    const mode = current()?.mode === "frozen" ? "real" : "frozen";
    return set({ mode }, mode === "frozen" ? "the clock stands still" : "the clock runs");
  });
  freeze.id = "freeze";
  const speed = element("select", "");
  speed.id = "speed";
  speed.setAttribute("aria-label", "Speed of the clock");
  speed.append(...SPEEDS.map((times) => new Option(`× ${times}`, `${times}`)));
  speed.addEventListener("change", () => {
    const mode = current()?.mode ?? "real";
    void set({ mode, speed: Number(speed.value) }, `the clock runs ${speed.value} times as fast`);
  });
  const advances = ADVANCES.map(([label, ms]) =>
    button(`+ ${label}`, `Advance the clock by ${label}`, async () => {
      await tell("POST", "/control/clock/advance", { ms }, `the clock is ${label} ahead`);
      await settle();
    }),
  );
  byId("clock").append(freeze, speed, ...advances);
}

/** Draws how the clock is set. */
export function drawClock({ mode, speed }: Reading): void {
  byId("freeze").ariaPressed = `${mode === "frozen"}`;
  const select = byId("speed") as HTMLSelectElement;
  if (![...select.options].some(({ value }) => Number(value) === speed))
    select.add(new Option(`× ${speed}`, `${speed}`));
  if (document.activeElement !== select) select.value = `${speed}`;
}

/** Draws the time, to be called every second. */
export function drawTime(now: number): void {
  const time = byId("now") as HTMLTimeElement;
  const iso = new Date(now).toISOString();
  time.dateTime = iso;
  time.replaceChildren(element("span", "", timeOfDay(now)), `${iso.slice(0, 10)} UTC`);
}

/** Draws a switch for every preset and the faults in force, in order, with what each has done. */
export function drawFaults({ faults, presets }: DashboardView): void {
  drawPresets(presets, faults);
  const rows = faults.map(({ name, matched, applied }, index) => ({
    key: `${index}/${name}`,
    says: `${matched}/${applied}`,
    make: () => [
      element("strong", "grow", name),
      element("span", "quiet", `struck ${applied} of ${matched}`),
      button("Remove", `Remove the fault ${name}`, () => remove([name])),
    ],
  }));
  fillRows(byId("faults"), rows, "no faults in force");
}

/** Draws a row for every switch, with a button for each way that it can stand. */
export function drawBehaviour({ switches }: DashboardView): void {
  const rows = switches.map((one) => ({ key: one.name, says: one.topic, make: () => switchRow(one) }));
  fillRows(byId("behaviour"), rows, "no switches");
  for (const { name, value } of switches) {
    for (const choice of document.querySelectorAll<HTMLElement>(`[data-switch="${name}"]`))
      choice.ariaPressed = `${choice.dataset.value === `${value}`}`;
  }
}

async function set(setting: Partial<Reading>, done: string): Promise<void> {
  await tell("PUT", "/control/clock", setting, done);
  await settle();
}

/** What falls due at the new time is done when the network is next asked for anything. */
async function settle(): Promise<void> {
  await fetch("/control/clock").catch(() => null);
}

/** The rules of a preset are called after it. */
const rulesOf = (preset: string, faults: DashboardView["faults"]) =>
  faults.filter(({ name }) => name === preset || name.startsWith(`${preset}:`));

function drawPresets(presets: readonly string[], faults: DashboardView["faults"]): void {
  const group = byId("presets");
  if (group.querySelector("button") === null) {
    group.append(...presets.map(presetButton));
    const clear = () => tell("DELETE", "/control/faults", undefined, "no faults are in force");
    group.append(button("Clear all", "Clear all faults", clear));
  }
  for (const preset of presets) {
    const pressed = rulesOf(preset, faults).length > 0;
    const switched = group.querySelector<HTMLElement>(`[data-preset="${CSS.escape(preset)}"]`);
    if (switched === null) continue;
    switched.ariaPressed = `${pressed}`;
    switched.dataset.rules = JSON.stringify(rulesOf(preset, faults).map(({ name }) => name));
  }
}

function presetButton(preset: string): HTMLButtonElement {
  const made = button(preset, `Fault ${preset}`, () => {
    const names = JSON.parse(made.dataset.rules ?? "[]") as string[];
    return names.length > 0 ? remove(names) : tell("POST", "/control/faults", { preset }, `${preset} is on`);
  });
  made.dataset.preset = preset;
  return made;
}

async function remove(names: readonly string[]): Promise<void> {
  for (const name of new Set(names)) {
    await tell("DELETE", `/control/faults?name=${encodeURIComponent(name)}`, undefined, `${name} is off`);
  }
}

function switchRow(one: ViewedSwitch): Node[] {
  const choices = element("span", "choices", ...one.values.map((value) => choice(one, value)));
  const topic = element("span", "grow", inText(one.topic), " ", element("small", "", one.name));
  return [element("span", "quiet id", one.id), topic, choices];
}

/** The table writes code as Markdown does. */
function inText(topic: string): string {
  return topic.replaceAll("`", "");
}

function choice({ name, topic }: ViewedSwitch, value: ViewedSwitch["value"]): HTMLButtonElement {
  const label = typeof value === "boolean" ? (value ? "yes" : "no") : `${value}`;
  const chosen = `${inText(topic)}: ${label}`;
  const made = button(label, chosen, () => tell("PATCH", "/control/behaviour", { [name]: value }, chosen));
  made.dataset.switch = name;
  made.dataset.value = `${value}`;
  return made;
}

/** A second press within this time means it: a reset cannot be taken back. */
const MEANT_WITHIN_MS = 4_000;

/** Makes the form that keeps a snapshot, and the button that resets, once. */
export function makeSnapshots(): void {
  const name = element("input", "");
  name.setAttribute("aria-label", "Name of the snapshot");
  name.placeholder = "name";
  name.maxLength = 64;
  name.required = true;
  // A browser takes `.` and `..` out of a path.
  name.pattern = "(?!\\.\\.?$)[A-Za-z0-9_.\\-]+";
  name.title = "1 to 64 of A-Z a-z 0-9 _ . - and neither . nor ..";
  const keep = button("Keep", "Keep a snapshot", async () => {
    if (!name.reportValidity()) return;
    await tell("PUT", pathOf(name.value), undefined, `the snapshot ${name.value} is kept`);
    name.value = "";
  });
  name.addEventListener("keydown", ({ key }) => key === "Enter" && keep.click());
  byId("state").append(name, keep, resetButton());
}

/** Draws the snapshots that are kept. */
export function drawSnapshots({ snapshots }: DashboardView): void {
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
