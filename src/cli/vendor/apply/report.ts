import type { Effect } from "../../../core/effects.ts";
import { exitCodes } from "../../exit.ts";
import { count } from "../../text.ts";
import { changeLines, effectText } from "../effects.ts";
import type { Setback, Step } from "./plan.ts";

/** So many rows are shown with what differs; the others are counted. */
const MOST_SHOWN = 20;

/** What a plan will do, for people: what differs, what else that does, and the sums. */
export function planText(steps: readonly Step[], what: string): string[] {
  const changing = steps.filter((step) => step.kind === "create" || step.kind === "update");
  const hidden = changing.length - MOST_SHOWN;
  return [
    ...changing.slice(0, MOST_SHOWN).flatMap(stepLines),
    ...(hidden > 0 ? [`… and ${count(hidden, `more ${what}`)} to create or update; --all shows them`] : []),
    ...effectSums(steps),
    sumText(steps, what),
  ];
}

/** Every row of a plan that changes something. */
export function wholePlanText(steps: readonly Step[], what: string): string[] {
  return [...steps.flatMap(stepLines), ...effectSums(steps), sumText(steps, what)];
}

/** A line for each row that came to nothing. */
export function setbackLines(setbacks: readonly Setback[]): string[] {
  return setbacks.map(({ where, id, text }) => `${where}${id === "" ? "" : ` ${id}`}: ${text}`);
}

/** The exit code when some rows came to nothing: what the user cannot mend in the file goes first. */
export function codeOf(setbacks: readonly Setback[]): number {
  const codes = new Set(setbacks.map(({ code }) => code));
  for (const code of [exitCodes.permission, exitCodes.unavailable]) if (codes.has(code)) return code;
  return codes.size === 0 ? exitCodes.stopped : exitCodes.data;
}

function stepLines(step: Step): string[] {
  switch (step.kind) {
    case "create":
      return [`+ ${step.id}`];
    case "update":
      return [`~ ${step.id}`, ...changeLines(step.before, step.change, (field) => field).map((line) => `  ${line}`)];
    case "same":
    case "failed":
      return [];
  }
}

/** What updates do beside what they say, with how many of them; moves by where they lead. */
function effectSums(steps: readonly Step[]): string[] {
  const effects = steps.flatMap((step) => (step.kind === "update" ? step.effects : []));
  const kinds = [...new Set(effects.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const such = effects.filter((effect) => effect.kind === kind);
    return such.length === 1 ? such.map(effectText) : [SUMS[kind](such)];
  });
}

const SUMS: Readonly<Record<Effect["kind"], (effects: readonly Effect[]) => string>> = {
  review: ({ length }) => `This sends ${length} locations to REVIEW; campaigns there may stop until they are approved.`,
  move(effects) {
    const places = [...new Set(effects.flatMap((effect) => (effect.kind === "move" ? [effect.to] : [])))];
    const shown = `${places.slice(0, MOST_SHOWN).join(", ")}${places.length > MOST_SHOWN ? ", …" : ""}`;
    return `This moves ${effects.length} screens and sends ${shown} to REVIEW; campaigns may stop until that is approved.`;
  },
  noAds: ({ length }) => `This takes ${length} out of all campaigns.`,
  archived: ({ length }) => `This archives ${length}: no spots any more.`,
  newType: ({ length }) => `${length} locations change their type; screens there that do not fit it get no ads.`,
};

function sumText(steps: readonly Step[], what: string): string {
  const of = (kind: Step["kind"]) => steps.filter((step) => step.kind === kind).length.toLocaleString("en-US");
  const total = count(steps.length, what);
  return `${total}: ${of("create")} to create, ${of("update")} to update, ${of("same")} as they are, ${of("failed")} failed`;
}
