import { Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { type FaultEffects, presetNames, ROUTE_NAMES } from "../../emulator/faults/schema.ts";
import { CommandFailure, exitCodes, wholeNumber } from "../command-line.ts";
import { count, plain, print, printJson, printLines, table } from "../text.ts";
import { type ControlFlags, control, lengthMs, withControl } from "./operate.ts";

/** More calls than an emulator ever gets. */
const MOST_CALLS = 999_999_999;

/** `spotloop emulator fault`: what goes wrong in a running emulator. */
export function faultCommand(): Command {
  return new Command("fault")
    .alias("faults")
    .description("add, list and clear the faults of a running emulator")
    .addHelpText("after", EXAMPLES)
    .addCommand(addCommand())
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(clearCommand());
}

const EXAMPLES = `
Examples:
  spotloop emulator fault add pop --status 503 --share 0.5 --for 1m
  spotloop emulator fault add media --kind ad --type 'video/*' --bytes-per-second 50000
  spotloop emulator fault add offline --for 90s
  spotloop emulator fault clear
`;

interface AddFlags extends ControlFlags {
  readonly preset?: string;
  readonly name?: string;
  readonly screen?: string;
  readonly orgToken?: string;
  readonly kind?: string;
  readonly type?: string;
  readonly share?: number;
  readonly for?: number;
  readonly times?: number;
  readonly skip?: number;
  readonly [action: string]: unknown;
}

function addCommand(): Command {
  const command = withControl(new Command("add"))
    .description("put a fault in force, after those there are; the first that fits a call strikes it")
    .argument(
      "[route]",
      `which calls: ${ROUTE_NAMES.join(", ")}; all when left out. Or a bad day instead of a rule: ${presetNames.join(", ")}`,
    )
    .addOption(new Option("--preset <name>", "the same bad day, said as an option").choices(presetNames))
    .option("--name <name>", "what journal and list call it")
    .option("--screen <id>", "only calls for this screen")
    .option("--org-token <token>", "only calls of this organization")
    .addOption(new Option("--kind <kind>", "only calls for such items").choices(["news", "ad"]))
    .option("--type <type>", "only calls for such files, as in video/mp4 or video/*")
    .option("--share <share>", "strike this share of the calls, 0 to 1", share)
    .option("--for <time>", "for so long of the network's time, as in 30s, 1m or 2h", lengthMs)
    .option("--times <n>", "so many times at most", wholeNumber(0, MOST_CALLS))
    .option("--skip <n>", "let so many calls pass first", wholeNumber(0, MOST_CALLS));
  for (const { flags, does, read } of FAULT_ACTIONS) {
    if (read === undefined) command.option(flags, does);
    else command.option(flags, does, read);
  }
  return command.action(add);
}

async function add(first: string | undefined, flags: AddFlags): Promise<void> {
  const preset = presetNames.find((name) => name === first);
  const entry = preset === undefined ? entryOf(first, flags) : entryOf(undefined, { ...flags, preset });
  const faults = await control(flags, faultsSchema, "POST", "/faults", entry);
  print(`${count(faults.length, "fault")} in force:`);
  printLines(faultTable(faults));
}

/** What is left out is left out, so that it has the emulator's default. */
function entryOf(route: string | undefined, flags: AddFlags): object {
  const actions = actionsIn(flags);
  const { preset, name, screen, orgToken, kind, type, share, times, skip, for: forMs } = flags;
  if (preset !== undefined) {
    const others = [route, name, screen, orgToken, kind, type, share, times, skip].some((value) => value !== undefined);
    if (others || Object.keys(actions).length > 0) {
      throw new CommandFailure("A preset goes with --for only: it brings its own rules.", exitCodes.usage);
    }
    return { preset, ...(forMs === undefined ? {} : { forSeconds: forMs / 1000 }) };
  }
  if (Object.keys(actions).length === 0) {
    const known = FAULT_ACTIONS.map((action) => action.flags.split(" ", 1)[0]).join(", ");
    throw new CommandFailure(
      `Say what goes wrong: ${presetNames.join(", ")}, or a rule with ${known}.`,
      exitCodes.usage,
    );
  }
  const forSeconds = forMs === undefined ? undefined : forMs / 1000;
  const match = { route, screen_id: screen, org_token: orgToken, kind, mimeType: type };
  return { name, match, probability: share, times, skip, forSeconds, do: actions };
}

function actionsIn(flags: AddFlags): Readonly<Record<string, unknown>> {
  const given = FAULT_ACTIONS.map(
    ({ key, flags: written }) => [key, flags[new Option(written).attributeName()]] as const,
  );
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function listCommand(): Command {
  return withControl(new Command("list"))
    .description("list the faults in force, in order")
    .option("--json", "print them as JSON")
    .action(async (flags: ControlFlags & { readonly json?: true }) => {
      const faults = await control(flags, faultsSchema, "GET", "/faults");
      if (flags.json) printJson(faults);
      else if (faults.length === 0) print("No faults are in force.");
      else printLines(faultTable(faults));
    });
}

function clearCommand(): Command {
  return withControl(new Command("clear"))
    .description("end all faults, or those of a name")
    .argument("[name]", "of one that is listed")
    .action(async (name: string | undefined, flags: ControlFlags) => {
      const before = await control(flags, faultsSchema, "GET", "/faults");
      if (name !== undefined && !before.some((fault) => fault.name === name)) {
        throw new CommandFailure(`There is no fault ${name}.`);
      }
      const query = name === undefined ? "" : `?name=${encodeURIComponent(name)}`;
      const left = await control(flags, faultsSchema, "DELETE", `/faults${query}`);
      print(`${count(before.length - left.length, "fault")} ended, ${left.length} in force.`);
    });
}

const faultsSchema = z.array(
  z.looseObject({
    name: z.string(),
    match: z.record(z.string(), z.unknown()),
    probability: z.number(),
    until: z.string().optional(),
    do: z.record(z.string(), z.unknown()),
    matched: z.number(),
    applied: z.number(),
  }),
);

function faultTable(faults: z.infer<typeof faultsSchema>): string[] {
  const rows = faults.map(({ name, match, probability, until, do: actions, matched, applied }) => [
    plain(name),
    plain(
      Object.entries(match)
        .map(([key, value]) => `${key} ${value}`)
        .join(", "),
    ) || "every call",
    plain(JSON.stringify(actions)),
    probability === 1 ? "all" : String(probability),
    until ?? "-",
    `${applied} of ${matched}`,
  ]);
  return table([["NAME", "CALLS", "DOES", "SHARE", "UNTIL", "STRUCK"], ...rows]);
}

function share(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !(number >= 0 && number <= 1)) throw new InvalidArgumentError("It must be from 0 to 1.");
  return number;
}

/** What can be done to a call, as an option of the command line. */
export interface FaultAction {
  readonly key: keyof FaultEffects;
  readonly flags: string;
  readonly does: string;
  /** Reads the option's value; absent where it takes none. */
  readonly read?: (text: string) => unknown;
}

/** Every action, in the order of the help. `--reset` is the emulator's own. */
export const FAULT_ACTIONS: readonly FaultAction[] = [
  { key: "status", flags: "--status <code>", does: "answer with this status", read: wholeNumber() },
  {
    key: "body",
    flags: "--body <text>",
    does: "with --status: this body (JSON, or a text as it is)",
    read: jsonOrText,
  },
  { key: "retryAfter", flags: "--retry-after <seconds>", does: "answer 429 with Retry-After", read: wholeNumber() },
  { key: "hang", flags: "--hang", does: "never answer" },
  { key: "reset", flags: "--break-off", does: "break the TCP connection off without an answer" },
  { key: "empty", flags: "--empty", does: "answer 204" },
  { key: "redirect", flags: "--redirect <url>", does: "answer 302: to a URL, or in a loop", read: (text) => text },
  { key: "latencyMs", flags: "--latency <time>", does: "hold the answer back, as in 2s or 100ms-900ms", read: latency },
  { key: "bytesPerSecond", flags: "--bytes-per-second <n>", does: "send the body slowly", read: wholeNumber() },
  {
    key: "truncateAt",
    flags: "--truncate-at <bytes>",
    does: "break off after so many bytes of the body",
    read: wholeNumber(),
  },
  { key: "corrupt", flags: "--corrupt <bytes>", does: "invert so many bytes of the body", read: wholeNumber() },
  { key: "wrongLength", flags: "--wrong-length <bytes>", does: "put Content-Length off by so much", read: integer },
  { key: "malformedJson", flags: "--malformed-json", does: "leave out the second half of a JSON answer" },
  { key: "contentType", flags: "--content-type <type>", does: "say another content type", read: (text) => text },
  { key: "headers", flags: "--headers <json>", does: "put these headers into the answer", read: json },
  { key: "patch", flags: "--patch <json>", does: "apply a JSON merge patch to a JSON answer", read: json },
  { key: "dateSkewMs", flags: "--date-skew <time>", does: "put the Date header off, as in 1h or -1h", read: skew },
];

function integer(text: string): number {
  const whole = wholeNumber();
  return text.startsWith("-") ? -whole(text.slice(1)) : whole(text);
}

function latency(text: string): number | { min: number; max: number } {
  const [min = "", max] = text.split("-");
  return max === undefined ? lengthMs(min) : { min: lengthMs(min), max: lengthMs(max) };
}

function skew(text: string): number {
  return text.startsWith("-") ? -lengthMs(text.slice(1)) : lengthMs(text);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError("It must be JSON.");
  }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
