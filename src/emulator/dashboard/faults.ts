import type { DashboardView } from "../control/dashboard-view.ts";
import { tell } from "./control-calls.ts";
import { button, byId, element, fillRows } from "./dom.ts";

/** The rules of a preset are called after it. */
const rulesOf = (preset: string, faults: DashboardView["faults"]) =>
  faults.filter(({ name }) => name === preset || name.startsWith(`${preset}:`));

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
