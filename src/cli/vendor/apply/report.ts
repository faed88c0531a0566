import type { Effect } from "../../../core/inventory/changes.ts";
import type { LocationStatus } from "../../../core/inventory/rules.ts";
import { exitCodes } from "../../command-line.ts";
import { count, plain } from "../../text.ts";
import { changeLines, effectText } from "../asking.ts";
import { locationColumns } from "../columns.ts";
import type { Kind, RowFailure, Standing, Step } from "./plan.ts";

/** How many rows are shown with what differs; the others are counted. */
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

/** A plan for machines: what would be created and updated, under the contract's names, and what else that would do. */
export function planJson(steps: readonly Step[]): readonly object[] {
  return steps.flatMap<object>((step) => {
    if (step.kind === "create") return [{ what: step.kind, where: step.where, id: step.id, fields: step.fields }];
    if (step.kind !== "update") return [];
    const { where, id, before, change, effects } = step;
    return [{ what: step.kind, where, id, before, change, effects: effects.map(effectText) }];
  });
}

type LeavesOut = Pick<Kind<object>, "what" | "onlyUpdated">;

/** What rows say of new objects that can only be said once they are there: it is left out, and not silently (B7). */
export function leftOutLines(steps: readonly Step[], { what, onlyUpdated }: LeavesOut): string[] {
  return onlyUpdated.flatMap(({ field, flag, when }) => {
    const such = steps.filter((step) => step.kind === "create" && step.fields[field] !== undefined).length;
    const where = `${count(such, `new ${what}`)}`;
    return such === 0
      ? []
      : [`${flag} is left out of ${where}: it can be set once ${such === 1 ? "it is" : "they are"} ${when}.`];
  });
}

/** A line for each row that came to nothing. */
export function failureLines(failures: readonly RowFailure[]): string[] {
  return failures.map(({ where, id, text }) => plain(`${where}${id === "" ? "" : ` ${id}`}: ${text}`));
}

/** The exit code when some rows came to nothing: what the user cannot mend in the file goes first. */
export function codeOf(failures: readonly RowFailure[]): number {
  const codes = new Set(failures.map(({ code }) => code));
  for (const code of [exitCodes.permission, exitCodes.unavailable]) if (codes.has(code)) return code;
  return codes.size === 0 ? exitCodes.stopped : exitCodes.data;
}

function stepLines(step: Step): string[] {
  switch (step.kind) {
    case "create":
      return [`+ ${plain(step.id)}`];
    case "update":
      return [
        `~ ${plain(step.id)}`,
        ...changeLines(step.before, step.change, (field) => field).map((line) => `  ${line}`),
      ];
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

/** A draft is of no use to anybody, and nothing else tells a file of hundreds which of them are. */
export interface Draft {
  readonly id: string;
  readonly lacks: readonly string[];
}

/** How many drafts are named; the others are counted. */
const MOST_NAMED = 20;

const STATUSES = ["DRAFT", "REVIEW", "APPROVED"] as const;

/** The drafts among what was done or is as it should be. */
export function draftsIn(steps: readonly Step[]): readonly Draft[] {
  return steps.flatMap((step) => {
    const standing = standingIn(step);
    return standing?.status === "DRAFT" ? [{ id: step.id, lacks: standing.lacks }] : [];
  });
}

/** How many there are of each status; null where nothing has one, as with screens. */
export function statusCounts(steps: readonly Step[]): Readonly<Record<LocationStatus, number>> | null {
  const standings = steps.flatMap((step) => standingIn(step) ?? []);
  if (standings.length === 0) return null;
  const counts = { DRAFT: 0, REVIEW: 0, APPROVED: 0 };
  for (const { status } of standings) counts[status]++;
  return counts;
}

/** The same for people: the drafts with what each lacks, by the names of columns, and the counts. */
export function standingLines(steps: readonly Step[], all: boolean): string[] {
  const counts = statusCounts(steps);
  if (counts === null) return [];
  const drafts = draftsIn(steps);
  const named = all ? drafts : drafts.slice(0, MOST_NAMED);
  const hidden = drafts.length - named.length;
  const sums = STATUSES.filter((status) => counts[status] > 0).map((status) => `${counts[status]} ${status}`);
  return [
    ...named.map(draftLine),
    ...(hidden > 0 ? [`… and ${hidden.toLocaleString("en-US")} more drafts; --all shows them`] : []),
    `by status: ${sums.join(", ")}`,
  ];
}

function draftLine({ id, lacks }: Draft): string {
  if (lacks.length === 0) return `${id} is a draft that lacks nothing: spotloop locations submit ${id}`;
  return `${id} is a draft: for the review it lacks ${lacks.map(columnOf).join(", ")}`;
}

function columnOf(field: string): string {
  return locationColumns.find(({ fields }) => fields.includes(field))?.flag ?? field;
}

function standingIn(step: Step): Standing | null {
  return step.kind === "failed" ? null : step.standing;
}

/** Often enough to be seen moving. */
const EVERY_MS = 100;
const BAR_WIDTH = 30;

/** A bar on standard error while rows are gone through; on a terminal only. */
export class Progress {
  readonly #what: string;
  readonly #total: number;
  readonly #isShown: boolean;
  #done = 0;
  #shownAt = 0;

  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
    this.#isShown = process.stderr.isTTY === true && total > 0;
  }

  /** One more is done. */
  step(): void {
    this.#done++;
    const now = Date.now();
    if (!this.#isShown || (now - this.#shownAt < EVERY_MS && this.#done < this.#total)) return;
    this.#shownAt = now;
    process.stderr.write(`\r${barText(this.#what, this.#done, this.#total)}`);
  }

  /** Leaves the line to others. */
  end(): void {
    if (this.#isShown) process.stderr.write("\r\u001b[K");
  }
}

/** `reading [###.......] 3/10`. */
function barText(what: string, done: number, total: number): string {
  const full = Math.round((done / total) * BAR_WIDTH);
  return `${what} [${"#".repeat(full)}${".".repeat(BAR_WIDTH - full)}] ${done}/${total}`;
}
