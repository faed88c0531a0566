import type { DashboardView, ViewedSwitch } from "../control/dashboard-view.ts";
import { tell } from "./control-calls.ts";
import { button, byId, element, fillRows } from "./dom.ts";

/** Draws a row for every switch, with a button for each way that it can stand. */
export function drawBehaviour({ switches }: DashboardView): void {
  const rows = switches.map((one) => ({ key: one.name, says: one.topic, make: () => rowOf(one) }));
  fillRows(byId("behaviour"), rows, "no switches");
  for (const { name, value } of switches) {
    for (const choice of document.querySelectorAll<HTMLElement>(`[data-switch="${name}"]`))
      choice.ariaPressed = `${choice.dataset.value === `${value}`}`;
  }
}

function rowOf(one: ViewedSwitch): Node[] {
  const choices = element("span", "choices", ...one.values.map((value) => choice(one, value)));
  // The table writes code as Markdown does.
  const topic = element("span", "grow", one.topic.replaceAll("`", ""), " ", element("small", "", one.name));
  return [element("span", "quiet id", one.id), topic, choices];
}

function choice({ name, topic }: ViewedSwitch, value: ViewedSwitch["value"]): HTMLButtonElement {
  const label = typeof value === "boolean" ? (value ? "yes" : "no") : `${value}`;
  const made = button(label, `${topic}: ${label}`, () =>
    tell("PATCH", "/control/behaviour", { [name]: value }, `${topic}: ${label}`),
  );
  made.dataset.switch = name;
  made.dataset.value = `${value}`;
  return made;
}
