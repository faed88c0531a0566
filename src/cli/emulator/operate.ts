import { Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { MOST_PLANNED } from "../../emulator/spot/planned.ts";
import { CommandFailure, exitCodes, wholeNumber } from "../command-line.ts";
import { count, plain, print, printJson, printLines, table } from "../text.ts";

/** What the operator of a running emulator does: `next`, `approve`, `clock`, `audit` and `reset`. */
export function operatingCommands(): readonly Command[] {
  return [nextCommand(), approveCommand(), clockCommand(), auditCommand(), resetCommand()];
}

interface NextFlags extends ControlFlags {
  readonly news?: string;
  readonly ad?: string;
  readonly adFirst?: true;
  readonly billable: boolean;
  readonly times: number;
  readonly orgToken?: string;
}

/** With names as long as they may be, more are too many for the body of one call (A20). */
const MOST_IN_A_CALL = 5_000;

function nextCommand(): Command {
  return withControl(new Command("next"))
    .description("say what a screen gets next, after what waits for it already")
    .argument("<screen>", "its id")
    .option("--news <creative>", "a creative by name, or none; as the rotation has it when left out")
    .option("--ad <creative>", "the same for the ad")
    .option("--ad-first", "the ad before the news")
    .option("--no-billable", "not to be billed")
    .option("--times <n>", "so many spots", wholeNumber(1, MOST_PLANNED), 1)
    .option("--org-token <token>", "whose screen, where several organizations have one of that id")
    .action(async (screen: string, flags: NextFlags) => {
      const { news, ad, adFirst, billable, times, orgToken } = flags;
      const spot = {
        ...(news === undefined ? {} : { news: news === "none" ? null : news }),
        ...(ad === undefined ? {} : { ad: ad === "none" ? null : ad }),
        ...(adFirst === undefined ? {} : { newsFirst: false }),
        ...(billable ? {} : { billable: false }),
      };
      const path = `/screens/${encodeURIComponent(screen)}/next${queryOf(orgToken)}`;
      let waiting = 0;
      for (let left = times; left > 0; left -= MOST_IN_A_CALL) {
        const spots = Array(Math.min(left, MOST_IN_A_CALL)).fill(spot);
        ({ waiting } = await control(flags, z.object({ waiting: z.number() }), "POST", path, { spots }));
      }
      print(`${count(waiting, "spot")} ${waiting === 1 ? "waits" : "wait"} for ${screen}.`);
    });
}

const decidableSchema = z.array(z.looseObject({ org_token: z.string(), status: z.string() }));

interface ApproveFlags extends ControlFlags {
  readonly orgToken?: string;
  readonly all?: true;
  readonly ads: boolean;
}

/** What waits for the operator's decision. */
interface Decidable {
  readonly what: "location" | "CAR";
  readonly id: string;
  readonly orgToken: string;
  readonly status: string;
}

function approveCommand(): Command {
  return withControl(new Command("approve"))
    .description("approve a location in review or a pending CAR, or all that wait")
    .argument("[id]", "of a location or a CAR")
    .option("--all", "everything that waits")
    .option("--no-ads", "a location without ads")
    .option("--org-token <token>", "whose, where several organizations have one of that id")
    .action(async (id: string | undefined, flags: ApproveFlags) => {
      if ((id === undefined) === (flags.all === undefined)) {
        throw new CommandFailure("Say either the id of a location or a CAR, or --all.", exitCodes.usage);
      }
      const listed = await decidables(flags);
      const meant = id === undefined ? listed.filter(isWaiting) : [theOne(listed, id)];
      for (const each of meant) await approve(flags, each);
      if (meant.length === 0) print("Nothing waits for approval.");
    });
}

async function decidables(flags: ApproveFlags): Promise<readonly Decidable[]> {
  const query = queryOf(flags.orgToken);
  const locations = await control(flags, decidableSchema, "GET", `/locations${query}`);
  const cars = await control(flags, decidableSchema, "GET", `/cars${query}`);
  return [
    ...locations.map(({ location_id, org_token: orgToken, status }) => {
      return { what: "location" as const, id: String(location_id), orgToken, status };
    }),
    ...cars.map(({ car_id, org_token: orgToken, status }) => {
      return { what: "CAR" as const, id: String(car_id), orgToken, status };
    }),
  ];
}

function isWaiting({ status }: Decidable): boolean {
  return status === "REVIEW" || status === "pending";
}

/** Of several of one id it is the one that waits; the emulator refuses what does not. */
function theOne(listed: readonly Decidable[], id: string): Decidable {
  const called = listed.filter((each) => each.id === id);
  const [meant = called[0], another] = called.filter(isWaiting);
  if (another !== undefined) throw new CommandFailure(`Several wait as ${id}; say whose with --org-token.`);
  if (meant === undefined) throw new CommandFailure(`There is no location and no CAR ${id}.`);
  return meant;
}

async function approve(flags: ApproveFlags, { what, id, orgToken }: Decidable): Promise<void> {
  const path = `/${what === "CAR" ? "cars" : "locations"}/${encodeURIComponent(id)}/approve${queryOf(orgToken)}`;
  const body = what === "location" ? { available_for_ads: flags.ads } : undefined;
  const { status } = await control(flags, z.looseObject({ status: z.string() }), "POST", path, body);
  print(`${what === "CAR" ? "CAR" : "Location"} ${plain(id)} is ${status} now.`);
}

const clockSchema = z.object({ mode: z.enum(["real", "frozen"]), now: z.string(), speed: z.number() });

interface ClockFlags extends ControlFlags {
  readonly advance?: number;
  readonly freeze?: true;
  readonly run?: true;
  readonly now?: string;
  readonly speed?: number;
  readonly json?: true;
}

function clockCommand(): Command {
  return withControl(new Command("clock"))
    .description("show the network's clock, set it or move it on")
    .option("--advance <time>", "move it on, as in 90s, 1h or 2d", lengthMs)
    .option("--freeze", "let it stand still until it is moved")
    .option("--run", "let it run")
    .option("--now <instant>", "set it, as in 2026-03-02T08:00:00Z")
    .option("--speed <factor>", "how much faster than real time it runs", factor)
    .option("--json", "print it as JSON")
    .action(async (flags: ClockFlags) => {
      const { freeze, run, now, speed, advance } = flags;
      if (freeze && run) throw new CommandFailure("It cannot be both --freeze and --run.", exitCodes.usage);
      const mode = freeze ? "frozen" : run ? "real" : undefined;
      const setting = { mode, now, speed };
      const isSet = Object.values(setting).some((value) => value !== undefined);
      let clock = await control(flags, clockSchema, isSet ? "PUT" : "GET", "/clock", isSet ? setting : undefined);
      if (advance !== undefined) clock = await control(flags, clockSchema, "POST", "/clock/advance", { ms: advance });
      if (flags.json) return printJson(clock);
      const pace = clock.speed === 1 ? "runs" : `runs ${clock.speed} times as fast`;
      print(`${clock.now}, ${clock.mode === "frozen" ? "frozen" : pace}`);
    });
}

function factor(text: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be a number above 0.");
}

const violationsSchema = z.array(
  z.looseObject({
    ...{ violation: z.string(), at: z.string(), org_token: z.string().nullable(), screen_id: z.string().nullable() },
    ...{ kind: z.string().nullable(), detail: z.string() },
  }),
);

function auditCommand(): Command {
  return withControl(new Command("audit"))
    .description("what the network would complain about so far; ends with 1 when there is anything")
    .option("--json", "print it as JSON")
    .action(async (flags: ControlFlags & { readonly json?: true }) => {
      const found = await control(flags, violationsSchema, "GET", "/audit");
      if (flags.json) printJson(found);
      else if (found.length === 0) print("Nothing: every proof was an honest one.");
      else printLines(violationTable(found));
      if (found.length > 0) throw new CommandFailure(flags.json ? "" : `${count(found.length, "violation")}.`);
    });
}

function violationTable(found: z.infer<typeof violationsSchema>): string[] {
  const rows = found.map(({ violation, at, org_token, screen_id, kind, detail }) => {
    const screen = screen_id === null ? "-" : `${screen_id} of ${org_token}`;
    return [at, violation, plain(screen), kind ?? "-", plain(detail)];
  });
  return table([["AT", "VIOLATION", "SCREEN", "KIND", "DETAIL"], ...rows]);
}

function resetCommand(): Command {
  return withControl(new Command("reset"))
    .description("bring a running emulator back to the world, the time and the seed that it started with")
    .action(async (flags: ControlFlags) => {
      await control(flags, z.object({ status: z.literal("ok") }), "POST", "/reset");
      print("Everything is as it was at the start.");
    });
}

function queryOf(orgToken: string | undefined): string {
  return orgToken === undefined ? "" : `?org_token=${encodeURIComponent(orgToken)}`;
}

/** Where a running emulator is controlled. */
export interface ControlFlags {
  readonly controlUrl: string;
}

const USUAL_URL = "http://127.0.0.1:8789";
/** The control listener answers at once, whatever faults are in force. */
const LONGEST_ANSWER_MS = 10_000;

/** Adds what names the emulator. */
export function withControl(command: Command): Command {
  const url = new Option("--control-url <url>", "control listener of the emulator");
  return command.addOption(url.env("SPOTLOOP_CONTROL_URL").default(USUAL_URL));
}

/** Calls the control API below `/control` and reads its answer; a refusal is a `CommandFailure` in the emulator's words. */
export async function control<S extends z.ZodType>(
  { controlUrl }: ControlFlags,
  schema: S,
  method: string,
  path: string,
  body?: unknown,
): Promise<z.infer<S>> {
  const url = `${controlUrl.replace(/\/+$/, "")}/control${path}`;
  const response = await fetch(url, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
  }).catch((error: unknown) => {
    throw new CommandFailure(`No emulator answers at ${controlUrl}: ${reasonOf(error)}`, exitCodes.unavailable);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw refusal(response.status, answer, controlUrl);
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  throw new CommandFailure(`${controlUrl} is no control listener of an emulator`, exitCodes.unavailable);
}

const problemSchema = z.object({ detail: z.string() });

function refusal(status: number, answer: unknown, url: string): CommandFailure {
  const read = problemSchema.safeParse(answer);
  if (!read.success) return new CommandFailure(`${url} answers ${status}`, exitCodes.unavailable);
  const said = read.data.detail;
  return new CommandFailure(`The emulator refuses: ${said}`, status === 400 ? exitCodes.data : exitCodes.failed);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A length of time in milliseconds: `500ms`, `90s`, `1m`, `1.5h`, `2d`. */
export function lengthMs(text: string): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (number === "") throw new InvalidArgumentError("It must be a length of time such as 500ms, 90s, 1m, 2h or 1d.");
  return Math.round(Number(number) * UNITS_MS[unit as keyof typeof UNITS_MS]);
}
