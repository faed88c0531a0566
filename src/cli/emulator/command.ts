import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { dirname } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { scopeOf } from "../../core/network/address.ts";
import type { Call } from "../../emulator/http/journal.ts";
import { isEveryAddress, PortError } from "../../emulator/http/listener.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator/main.ts";
import { LARGEST_LEDGER, MOST_SPOTS } from "../../emulator/spot/ledger.ts";
import { StoreError } from "../../emulator/store/file.ts";
import { WorldError } from "../../emulator/world/read.ts";
import type { WorldFile } from "../../emulator/world/schema.ts";
import { VenueTypesError } from "../../emulator/world/venue-types.ts";
import { EXAMPLE_WORLD, parseWorld, worldJsonSchema } from "../../emulator/world/world-file.ts";
import { CommandFailure, exitCodes, wholeNumber } from "../command-line.ts";
import { printJson, say, textFrom } from "../text.ts";

/** What the emulator is told on its command line. */
interface EmulatorFlags {
  readonly port: number;
  readonly mediaPort: number;
  readonly controlPort: number;
  readonly host: string;
  readonly world?: string;
  readonly venueTypes?: string;
  readonly seed?: number;
  readonly keep: number;
  readonly data?: string;
  readonly reset?: true;
  /** Whether calls go unmentioned on standard error. */
  readonly quiet?: boolean;
}

/** `spotloop emulator`: a whole screen network on this machine, until it is asked to stop. */
export function emulatorCommand(): Command {
  return new Command("emulator")
    .description("run a screen network on this machine until it is stopped")
    .option("--port <n>", "port of the service, 0 for any free one", wholeNumber(0, 65_535), 8787)
    .option("--media-port <n>", "port of the media and proof-of-play URLs", wholeNumber(0, 65_535), 8788)
    .option("--control-port <n>", "port of the control API", wholeNumber(0, 65_535), 8789)
    .option("--host <address>", "address to listen on", said, "127.0.0.1")
    .option("--world <file>", "world file (JSON) instead of the built-in demo world")
    .option("--venue-types <file>", "venue types (JSON) instead of the built-in ones")
    .option(
      "--keep <n>",
      "spots to keep in the ledger; the oldest give way",
      wholeNumber(1, LARGEST_LEDGER),
      MOST_SPOTS,
    )
    .option("--data <file>", "file to keep the state in across restarts", said)
    .option("--reset", "begin as the world says, whatever --data has kept")
    .option("--seed <n>", "the same seed and calls give the same answers", wholeNumber())
    .action(run);
}

/** Reads an option's text. An empty one is a variable of the shell's that is not set: nothing would be kept, or kept from others. */
function said(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

/** `spotloop emulator world`: what a world file can say. */
export function worldCommand(): Command {
  return new Command("world")
    .description("print a world file to begin with, or its JSON Schema for editors")
    .option("--example", "a world with comments, which can be started as it is")
    .option("--schema", "the JSON Schema")
    .action(({ example, schema }: { readonly example?: true; readonly schema?: true }) => {
      if ((example === undefined) === (schema === undefined)) {
        throw new CommandFailure("Say either --example or --schema.", exitCodes.usage);
      }
      if (schema) printJson(worldJsonSchema());
      else process.stdout.write(EXAMPLE_WORLD);
    });
}

async function run(flags: EmulatorFlags): Promise<void> {
  const emulator = await startedEmulator(flags);
  const stop = askedToStop();
  const { baseUrl, mediaUrl, controlUrl, orgToken, screenId } = emulator;
  process.stdout.write(`${JSON.stringify({ ready: true, baseUrl, mediaUrl, controlUrl, orgToken, screenId })}\n`);
  console.error(`the screen network is up (seed ${emulator.seed}); Ctrl+C ends it`);
  await stop;
  await close(emulator, flags);
}

async function close(emulator: Emulator, { data = "" }: EmulatorFlags): Promise<void> {
  try {
    await emulator.close();
  } catch (error) {
    throw error instanceof StoreError ? new CommandFailure(`the data file ${data}: ${error.message}`) : error;
  }
}

/** Resolves when the user or the system asks the process to stop; closing a console of Windows is a SIGHUP. */
function askedToStop(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of SIGNALS) process.off(signal, stop);
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
  });
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Starts an emulator as the command line says; throws a `CommandFailure` that says what is wrong with that. */
async function startedEmulator(flags: EmulatorFlags): Promise<Emulator> {
  const { port, mediaPort, controlPort, host, world, venueTypes, data, reset, seed, keep, quiet = false } = flags;
  if (isEveryAddress(host) || scopeOf(host) !== "loopback") console.error(exposedWarning(host));
  const options: EmulatorOptions = {
    ports: { service: port, media: mediaPort, control: controlPort },
    host,
    ownProcess: true,
    keepSpots: keep,
    ...(quiet ? {} : { onCall: lineWriter() }),
    ...(seed === undefined ? {} : { seed }),
    ...(data === undefined ? {} : { data, reset: reset ?? false }),
    ...(world === undefined ? {} : { world: contentOf("world", world) as WorldFile, worldDir: dirname(world) }),
    ...(venueTypes === undefined ? {} : { venueTypes: contentOf("venue types", venueTypes) }),
  };
  try {
    const emulator = await startEmulator(options);
    if (emulator.kept !== null) say(...keptNotice(emulator.kept, flags));
    return emulator;
  } catch (error) {
    if (error instanceof PortError) throw new CommandFailure(error.message);
    if (error instanceof StoreError) throw badData(data ?? "", error);
    if (error instanceof WorldError) throw badFile("world", world ?? "built in", error);
    if (error instanceof VenueTypesError) throw badFile("venue types", venueTypes ?? "built in", error);
    throw error;
  }
}

/** Of the differences so many are told. */
const MOST_TOLD = 10;

/** Says which of the two counts, the data file or the world, and what would be otherwise. */
function keptNotice(differing: readonly string[], { data = "", world }: EmulatorFlags): string[] {
  const name = world === undefined ? "the built-in world" : `the world file ${world}`;
  if (differing.length === 0) return [`${data} has kept an earlier run, which goes on; --reset begins anew`];
  const more = differing.length - MOST_TOLD;
  return [
    `${data} has kept an earlier run, which goes on: its state counts, and ${name} has been changed since:`,
    ...differing.slice(0, MOST_TOLD).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    `--reset begins as ${name} says, and forgets what was kept`,
  ];
}

type FileKind = "world" | "venue types";

const LARGEST_FILE_BYTES = 64 * 1024 * 1024;

function contentOf(kind: FileKind, path: string): unknown {
  const text = textFrom(path, `the ${kind} file ${path}`, LARGEST_FILE_BYTES, exitCodes.configuration);
  try {
    return kind === "world" ? worldIn(text) : JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : String(error);
    throw new CommandFailure(`the ${kind} file ${path} cannot be read: ${reason}`, exitCodes.configuration);
  }
}

function worldIn(text: string): unknown {
  const parsed = parseWorld(text);
  if (parsed.kind === "content") return parsed.content;
  throw new SyntaxError(`line ${parsed.line}, column ${parsed.column}: ${parsed.problem}`);
}

function badFile(kind: FileKind, path: string, { problems }: WorldError | VenueTypesError): CommandFailure {
  const lines = problems.map((problem) => `  ${problem.path}: ${problem.message}`);
  return new CommandFailure([`the ${kind} file ${path} cannot be used:`, ...lines].join("\n"), exitCodes.configuration);
}

function badData(path: string, { message }: StoreError): CommandFailure {
  return new CommandFailure(`the data file ${path} cannot be used: ${message}`, exitCodes.configuration);
}

/** So long a line may wait for others, to be written with them: a write takes as long as half of a spot. */
const LOG_EVERY_MS = 50;

/** Writes a line for each call, those of a moment at once. What waits when the emulator is stopped is written then. */
function lineWriter(): (call: Call) => void {
  let lines: string[] = [];
  const write = () => {
    process.stderr.write(`${lines.join("\n")}\n`);
    lines = [];
  };
  return (call) => {
    if (!isWorthALine(call)) return;
    if (lines.length === 0) setTimeout(write, LOG_EVERY_MS);
    lines.push(lineOf(call));
  };
}

/** Asking the emulator how things stand is not news. */
function isWorthALine({ listener, method }: Call): boolean {
  return listener !== "control" || method !== "GET";
}

function lineOf({ at, listener, method, route, screenId, path, status, warnings }: Call): string {
  const what = route === "spot" || route === "pop" ? `${route} ${screenId ?? "?"}` : path;
  return [new Date(at).toISOString(), listener, method, what, status, ...warnings].join(" ");
}

function exposedWarning(host: string): string {
  return `warning: listening on ${host}, so others on the network can reach the emulator, which has no passwords`;
}

/**
 * `spotloop emulator exec -- COMMAND…`: a screen network for as long as a command runs, which finds it through its
 * environment. Standard output is the command's alone, and its exit code is ours. The options are those of the emulator;
 * its ports are free ones unless they are given.
 */
export function execCommand(): Command {
  return new Command("exec")
    .usage("[options of the emulator] -- COMMAND…")
    .description("run a command with a screen network of its own, and end with its exit code")
    .argument("<command...>", "the command and its arguments")
    .exitOverride()
    .action(async (words: string[], _: unknown, { parent }: Command) => {
      const exitCode = await exec(words, flagsOf(parent ?? new Command()));
      if (exitCode !== 0) throw new CommandFailure("", exitCode);
    });
}

async function exec([command = "", ...words]: readonly string[], flags: EmulatorFlags): Promise<number> {
  const emulator = await startedEmulator(flags);
  try {
    const child = spawn(command, words, { stdio: "inherit", env: { ...process.env, ...environmentOf(emulator) } });
    return await ended(child, command);
  } finally {
    await close(emulator, flags);
  }
}

function environmentOf({ baseUrl, orgToken, screenId, controlUrl }: Emulator) {
  return {
    SPOTLOOP_BASE_URL: baseUrl,
    SPOTLOOP_ORG_TOKEN: orgToken,
    // One of a real service has no business here, and would go before.
    SPOTLOOP_ORG_TOKEN_FILE: undefined,
    SPOTLOOP_SCREEN_ID: screenId,
    SPOTLOOP_CONTROL_URL: controlUrl,
  };
}

/** Resolves with the exit code of a command, as a shell would tell it. Signals meant for us are for the command. */
async function ended(child: ChildProcess, command: string): Promise<number> {
  const passOn = (signal: NodeJS.Signals) => {
    // Ctrl+C reaches every process of the terminal by itself.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    const [code, signal]: [number | null, NodeJS.Signals | null] = (await once(child, "close")) as never;
    return code ?? SIGNALLED + (signal === null ? 0 : constants.signals[signal]);
  } catch (error) {
    throw new CommandFailure(`${command} cannot be run: ${String(error)}`, isMissing(error) ? NOT_FOUND : NOT_RUNNABLE);
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn);
  }
}

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** The exit codes of shells. */
const SIGNALLED = 128;
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** The emulator's options may stand before or after `exec`. */
function flagsOf(emulator: Command): EmulatorFlags {
  const port = (name: "port" | "mediaPort" | "controlPort"): number =>
    emulator.getOptionValueSource(name) === "cli" ? emulator.opts()[name] : 0;
  const ports = { port: port("port"), mediaPort: port("mediaPort"), controlPort: port("controlPort") };
  return { ...emulator.opts<EmulatorFlags>(), ...ports, quiet: true };
}
