import type { DashboardView } from "../control/dashboard-view.ts";
import { tell } from "./control-calls.ts";
import { button, byId, element } from "./dom.ts";
import { timeOfDay } from "./words.ts";

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

async function set(setting: Partial<Reading>, done: string): Promise<void> {
  await tell("PUT", "/control/clock", setting, done);
  await settle();
}

/** What falls due at the new time is done when the network is next asked for anything. */
async function settle(): Promise<void> {
  await fetch("/control/clock").catch(() => null);
}
