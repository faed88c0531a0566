import { isAbsolute, resolve } from "node:path";
import { invalid, ok } from "../../../client/answer.ts";
import { mayStopCampaigns } from "../../../core/inventory/changes.ts";
import type { Location } from "../../../wire/inventory.ts";
import { CommandFailure, exitCodes } from "../../command-line.ts";
import { print, printJson, printLines, sayLines } from "../../text.ts";
import { calledOff, endIfRefused, runAll, sayPause } from "../../vendor/apply/command.ts";
import {
  carriedOut,
  type Kind,
  locationKind,
  planned,
  type RowFailure,
  type Step,
  screenKind,
} from "../../vendor/apply/plan.ts";
import { codeOf, failureLines, planJson, planText, standingLines, wholePlanText } from "../../vendor/apply/report.ts";
import { rowsOf } from "../../vendor/apply/rows.ts";
import { agree } from "../../vendor/asking.ts";
import { endIfFlawed, type Flaw, Pace } from "../../vendor/calls.ts";
import { newIdFlaw } from "../../vendor/columns.ts";
import { type Connection, type ConnectionFlags, connect } from "../../vendor/connection.ts";
import { locationType } from "../place.ts";
import {
  canNameFile,
  endIfUnwritableFolder,
  filesText,
  type PcFile,
  type PcSettings,
  pcFile,
  writeFiles,
} from "./pc-files.ts";
import { partSheet, type Sheet, type SheetLocation, sheetColumns, sheetLocationColumns } from "./sheet.ts";

/** What `provision --batch` is told. */
export interface BatchFlags extends ConnectionFlags {
  readonly batch: string;
  readonly out?: string;
  readonly cloudInit?: true;
  readonly withToken?: true;
  readonly dryRun?: true;
  readonly all?: true;
  readonly dataDir?: string;
}

/**
 * Makes locations and screens be as a file says that has a row for each PC, and writes a file for each PC. Nothing is made
 * before every row is right and somebody agreed to the plan. Interrupted, it can be run again, and goes on.
 */
export async function provisionMany(flags: BatchFlags, healthPort: number | null | undefined): Promise<void> {
  endIfFlawed(flagFlaws(flags));
  const folder = resolve(flags.out ?? "");
  endIfUnwritableFolder(folder);
  const control = new AbortController();
  const interrupt = () => control.abort();
  // Once: a second Ctrl+C ends the process at once, as everywhere.
  process.once("SIGINT", interrupt);
  await made(flags, folder, healthPort, control).finally(() => process.off("SIGINT", interrupt));
}

async function made(
  flags: BatchFlags,
  folder: string,
  healthPort: number | null | undefined,
  control: AbortController,
): Promise<void> {
  const connection = connect(flags);
  const rows = await rowsOf([flags.batch], sheetColumns);
  if (rows.length === 0) throw new CommandFailure(`${flags.batch} has no rows`, exitCodes.data);
  const batch = new Batch(connection, partSheet(rows), control);
  const plan = await batch.plan();
  if (control.signal.aborted) {
    sayLines(failureLines(plan.bad));
    throw calledOff(plan.bad, rows.length);
  }

  const token = flags.withToken ? connection.orgToken : null;
  const form = flags.cloudInit ? "cloud-init" : "config";
  const settings: PcSettings = { folder, baseUrl: connection.baseUrl, dataDir: flags.dataDir, healthPort, form, token };
  const files = plan.screens.flatMap((step) => (step.kind === "failed" ? [] : [pcFile(step.id, settings)]));
  if (!flags.json) printLines(planLines(plan, files, folder, flags.all === true));
  sayLines(failureLines(plan.bad));
  if (plan.bad.length > 0) {
    if (flags.json) printJson(jsonOf([], [], { failed: plan.bad }));
    throw new CommandFailure("Nothing was made: mend this, and run the same command again.", codeOf(plan.bad));
  }
  const open = [...plan.locations, ...plan.screens].filter(isOpen);
  if (flags.dryRun) return flags.json ? printJson(jsonOf(open, files, { isPlan: true })) : undefined;
  const isDone = open.length === 0 && files.every(({ state }) => state === "same");
  const risky = open.some((step) => step.kind === "update" && step.effects.some(mayStopCampaigns));
  if (!isDone) await agree(risky ? "Campaigns may stop by this. Go on?" : "Go on?", flags.yes === true);

  const { done, failed, left } = await batch.carryOut(plan);
  sayLines(failureLines(failed));
  // A screen that is not there yet gets its file in the run that makes it.
  const there = new Set(done.screens.map(({ id }) => id));
  const written = writeFiles(
    files.filter(({ screenId }) => there.has(screenId)),
    folder,
  );
  if (flags.json) printJson(jsonOf([...done.locations, ...done.screens].filter(isOpen), written, { failed }));
  else if (isDone) print("All is as the file says: nothing was changed.");
  else printLines([...standingLines(done.locations, flags.all === true), ...endLines(written, settings)]);
  if (control.signal.aborted) throw calledOff(failed, left);
  if (failed.length === 0) return;
  // What was refused would be refused again.
  const code = codeOf(failed);
  throw new CommandFailure(code === exitCodes.unavailable ? "Run the same command again to go on." : "", code);
}

function flagFlaws({ out, cloudInit, withToken, dataDir }: BatchFlags): Flaw[] {
  const usage = (where: string, message: string): Flaw => ({ where, message, kind: "usage" });
  return [
    ...(out ? [] : [usage("--out", "is missing: the folder for the files of the PCs")]),
    ...(withToken && !cloudInit ? [usage("--with-token", "goes with --cloud-init only")] : []),
    ...(dataDir !== undefined && !isAbsolute(dataDir)
      ? [usage("--data-dir", "must be absolute: it is on the PCs")]
      : []),
  ];
}

type Open = Extract<Step, { kind: "create" | "update" }>;
type Done = Exclude<Step, RowFailure>;

function isOpen(step: Step): step is Open {
  return step.kind === "create" || step.kind === "update";
}

interface Plan {
  readonly locations: readonly Step[];
  readonly screens: readonly Step[];
  readonly bad: readonly RowFailure[];
}

/** The locations and screens of a sheet, compared with the service and made as the sheet says, locations first. */
class Batch {
  readonly #sheet: Sheet;
  readonly #control: AbortController;
  readonly #connection: Connection;
  readonly #pace: Pace;
  readonly #locations: Kind<Location>;

  constructor(connection: Connection, sheet: Sheet, control: AbortController) {
    this.#connection = connection;
    this.#sheet = sheet;
    this.#control = control;
    this.#pace = new Pace(control.signal, sayPause);
    const kind = judgingNames(locationKind(connection, this.#pace));
    this.#locations = { ...kind, columns: sheetLocationColumns, required: [kind.idField] };
  }

  async plan(): Promise<Plan> {
    const { reader, signal } = this.#connection;
    const listed = await this.#pace.call(() => reader.venueTree(signal));
    const tree = listed.kind === "ok" ? listed.value : null;
    const coming = new Map<string, Location>();
    const seen = new Map<string, string>();
    const locations = await runAll("reading", this.#sheet.locations, this.#control, async (one) => {
      const stored = await this.#locations.get(one.id);
      if (stored.kind !== "notFound") return planned(one.row, this.#locations, seen);
      const type = one.screenType === "" ? null : locationType(one.screenType, tree);
      coming.set(one.id, { ...BLANK, location_id: one.id, venue_type_id: type });
      const record = type === null ? one.row.record : { ...one.row.record, "venue-type": type };
      const step = await planned({ ...one.row, record }, this.#locations, seen);
      return one.isTitled ? step : untitled(one, step);
    });
    endIfRefused(locations);
    const screens = await this.#planScreens(coming);
    endIfRefused(screens);
    const contrary = this.#sheet.contrary.map((one) => ({ ...one, kind: "failed" as const, code: exitCodes.data }));
    const failed = [...locations, ...screens].filter((step) => step.kind === "failed");
    return { locations, screens, bad: [...contrary, ...failed] };
  }

  /** Locations that are coming are as good as there. */
  #planScreens(coming: ReadonlyMap<string, Location>): Promise<readonly Step[]> {
    const { reader } = this.#connection;
    const getLocation: typeof reader.getLocation = async (id, signal) => {
      const location = coming.get(id);
      return location === undefined ? reader.getLocation(id, signal) : ok(location);
    };
    const kind = judgingNames(screenKind({ ...this.#connection, reader: { ...reader, getLocation } }, this.#pace));
    const seen = new Map<string, string>();
    return runAll("reading", this.#sheet.screens, this.#control, async (row) => {
      const step = await planned(row, kind, seen);
      return step.kind !== "failed" && !canNameFile(step.id) ? unfiled(row.where, step.id) : step;
    });
  }

  /** Does what is to be done; `left` counts what was not come to. A screen does not come before its location. */
  async carryOut(plan: Plan) {
    const locations = await runAll("writing", plan.locations, this.#control, (step) =>
      carriedOut(step, this.#locations),
    );
    endIfRefused(locations);
    const made = new Set(locations.filter((step) => step.kind !== "failed").map(({ id }) => id));
    const kind = screenKind(this.#connection, this.#pace);
    const isPlaced = (step: Step) => !isOpen(step) || isThere(step, made, this.#sheet);
    const placed = plan.screens.filter(isPlaced);
    const screens = await runAll("writing", placed, this.#control, (step) => carriedOut(step, kind));
    endIfRefused(screens);
    const all = [...locations, ...screens];
    const isDone = (step: Step): step is Done => step.kind !== "failed";
    return {
      done: { locations: locations.filter(isDone), screens: screens.filter(isDone) },
      failed: all.filter((step) => step.kind === "failed"),
      left: plan.locations.length + plan.screens.length - all.length,
    };
  }
}

/**
 * A kind that judges the identifiers of what is to be created (A17): else locations would be made before the service
 * refuses their screens.
 */
function judgingNames<S extends object>(kind: Kind<S>): Kind<S> {
  return {
    ...kind,
    async checkNew(fields) {
      const checked = await kind.checkNew(fields);
      const message = newIdFlaw(String(fields[kind.idField]));
      if (message === null || (checked.kind !== "ok" && checked.kind !== "invalid")) return checked;
      const others = checked.kind === "ok" ? [] : checked.fields.filter(({ field }) => field !== kind.idField);
      return invalid([{ field: kind.idField, message }, ...others]);
    },
  };
}

/** A screen that is there, and whose file would be in another folder. */
function unfiled(where: string, id: string): RowFailure {
  const text = "id: no file can be named so, for it has a / or a \\";
  return { kind: "failed", where, id, text, code: exitCodes.data };
}

/** A location that is not there, and that no row has a name for. */
function untitled({ id, row }: SheetLocation, step: Step): RowFailure {
  const missing = `location-title: is missing: there is no location ${id} yet`;
  const text = step.kind === "failed" ? `${missing}; ${step.text}` : missing;
  return { kind: "failed", where: row.where, id, text, code: exitCodes.data };
}

/** Whether the location that a screen goes to is there, as far as the sheet has to do with that. */
function isThere(step: Open, made: ReadonlySet<string>, { locations }: Sheet): boolean {
  const to = step.kind === "create" ? step.fields.location_id : step.change.location_id;
  return to === undefined || made.has(String(to)) || !locations.some(({ id }) => id === to);
}

const BLANK: Location = {
  ...{ location_id: "", title: "", venue_type_id: null, lat: null, long: null, opening_168: null, visitors_7: null },
  ...{ status: "DRAFT", available_for_ads: false, archived: false, email: null, phone: null, timezone: null },
  ...{ country: null, region: null, city: null, zip: null, address: null },
};

function planLines(plan: Plan, files: readonly PcFile[], folder: string, all: boolean): string[] {
  const text = all ? wholePlanText : planText;
  const steps = [...text(plan.locations, "location"), ...text(plan.screens, "screen")];
  return plan.bad.length > 0 ? steps : [...steps, ...filesText(files, folder)];
}

function endLines(written: readonly PcFile[], { folder, form, token }: PcSettings): string[] {
  const where = `${written.length} written into ${folder}, for their owner only.`;
  if (token !== null)
    return [
      where,
      "Each holds the organization token: keep them to yourself, and delete them once the PCs are set up.",
    ];
  const how =
    form === "config" ? "Copy each to /etc/spotloop/config.json of its PC" : "Give each to cloud-init of its PC";
  return [where, `${how}, and the organization token to /etc/spotloop/org-token.`];
}

function jsonOf(
  steps: readonly Open[],
  files: readonly PcFile[],
  { failed = [], isPlan = false }: { readonly failed?: readonly RowFailure[]; readonly isPlan?: boolean },
): object {
  const ids = (kind: Open["kind"]) => steps.flatMap((step) => (step.kind === kind ? [step.id] : []));
  const open = files.filter(({ state }) => state !== "same").map(({ path }) => path);
  if (isPlan) return { plan: planJson(steps), files: open };
  const failures = failed.map(({ where, id, text }) => ({ where, id, problem: text }));
  return { created: ids("create"), updated: ids("update"), files: open, failed: failures };
}
