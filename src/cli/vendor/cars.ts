import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { checkRejection, type NewRejection } from "../../client/checks.ts";
import { discard, follow, type Get, getBy, type Reply, succeeded } from "../../client/http.ts";
import { reasonOf } from "../../client/reply.ts";
import { rejectionComplaints } from "../../core/inventory/check.ts";
import { type RejectionReason, rejectionReasonSchema } from "../../wire/inventory.ts";
import type { ApprovalAnswer } from "../../wire/inventory-answers.ts";
import { CommandFailure, exitCodes, untilInterrupted } from "../command-line.ts";
import { plain, print, printJson, say } from "../text.ts";
import { agree } from "./asking.ts";
import { endIfFlawed, type Flaw, orEnd, patiently, printRequest } from "./calls.ts";
import { type ConnectionFlags, connect, withConnection } from "./connection.ts";
import { carText } from "./views.ts";

interface GetFlags extends ConnectionFlags {
  readonly save?: string;
  readonly open?: true;
}

interface RejectFlags extends ConnectionFlags {
  readonly reason?: readonly string[];
  readonly message?: string;
  readonly dryRun?: true;
  readonly check: boolean;
}

/** `spotloop cars`: creatives that advertisers want to show here. */
export function carsCommand(): Command {
  return new Command("cars")
    .description("look at creative approval requests, and reject creatives")
    .addCommand(withConnection(getCommand()))
    .addCommand(withConnection(rejectCommand()));
}

function getCommand(): Command {
  return new Command("get")
    .description("show a request, and its creative")
    .argument("<id>")
    .option("--save <file>", "save the creative")
    .option("--open", "show the creative in this machine's browser")
    .addHelpText("after", "\nExample:\n  spotloop cars get car-7 --save ad.mp4")
    .action(get);
}

function rejectCommand(): Command {
  return new Command("reject")
    .description("reject a pending creative for good; its advertiser is told")
    .argument("<id>")
    .option("--reason <code>", `${REASONS.join(", ")}; may be given again`, collect)
    .option("--message <text>", "for the advertiser; CUSTOM needs one")
    .option("--dry-run", "show the request instead of sending it")
    .option("--no-check", "leave the rules to the service")
    .addHelpText("after", REJECT_EXAMPLE)
    .action(reject);
}

const REASONS = rejectionReasonSchema.options;

const REJECT_EXAMPLE = `
  ADVERTISER     the advertiser is not approved to run on the network
  INAPPROPRIATE  the content is inappropriate for the venues
  FILTER         the creative does not meet the content filter criteria
  CUSTOM         what --message says

Example:
  spotloop cars reject car-7 --reason FILTER --reason CUSTOM --message "The logo is cut off"`;

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, ...value.split(",").map((code) => code.trim().toUpperCase())];
}

async function get(id: string, flags: GetFlags): Promise<void> {
  const { requests, reader, signal } = connect(flags);
  const car = orEnd(await patiently(() => reader.getApproval(id, signal)), { what: `CAR ${id}` });
  if (flags.json) printJson(car);
  else print(...carText(car));
  if (flags.save === undefined && !flags.open) return;
  if (car.item === null) throw new CommandFailure("The service tells no creative.", exitCodes.data);
  if (flags.save !== undefined) {
    const sizeBytes = await saveCreative(car.item, flags.save, flags.yes === true, getBy(requests.fetch));
    say(`The creative is in ${flags.save} (${sizeBytes.toLocaleString("en-US")} bytes).`);
  }
  if (flags.open) openCreative(car.item);
}

async function reject(id: string, flags: RejectFlags): Promise<void> {
  const reasons = flags.reason ?? [];
  const rejection = rejectionOf(reasons, flags.message);
  endIfFlawed(flawsIn(reasons, rejection, flags.check));
  const { baseUrl, service, reader, signal } = connect(flags);
  const subject = { what: `CAR ${id}`, nameOf, look: `spotloop cars get ${id}` };
  const check = () => checkRejection(reader, id, rejection, signal);
  const checked = flags.check ? orEnd(await patiently(check), subject) : null;
  if (flags.dryRun) {
    printRequest(
      { baseUrl, route: "rejectApproval", parameters: { car_id: id }, body: rejection },
      flags.json === true,
    );
    return;
  }
  if (checked !== null) say(rejectionText(checked));
  await agree("Reject it?", flags.yes === true);
  const rejected = orEnd(await patiently(() => service.rejectApproval(id, rejection)), subject);
  if (flags.json) return printJson(rejected);
  const message = rejected.custom_message === null ? "" : `: ${rejected.custom_message}`;
  print(plain(`CAR ${rejected.id} is rejected (${rejected.rejection_reasons.join(", ")})${message}.`));
}

/** With unknown reasons left as they are: `--no-check` leaves them to the service. */
function rejectionOf(reasons: readonly string[], message: string | undefined): NewRejection {
  const said = message === undefined ? {} : { custom_message: message };
  return { rejection_reasons: [...new Set(reasons)] as RejectionReason[], ...said };
}

function flawsIn(reasons: readonly string[], rejection: NewRejection, check: boolean): Flaw[] {
  if (!check) return [];
  const strange = reasons.filter((reason) => !rejectionReasonSchema.safeParse(reason).success);
  const none: Flaw[] = reasons.length > 0 ? [] : [{ where: "--reason", message: ONE_OF, kind: "usage" }];
  const complaints = rejectionComplaints(null, {
    reasons: rejection.rejection_reasons,
    message: rejection.custom_message ?? null,
  });
  const lacking = complaints.filter(({ field }) => field === "custom_message");
  return [
    ...none,
    ...strange.map((reason): Flaw => ({ where: "--reason", message: `${reason} is none; ${ONE_OF}`, kind: "usage" })),
    ...lacking.map(({ field, message }): Flaw => ({ where: nameOf(field), message, kind: "data" })),
  ];
}

const ONE_OF = `give one or more of ${REASONS.join(", ")}`;

function nameOf(field: string): string {
  return { rejection_reasons: "--reason", custom_message: "--message" }[field] ?? field;
}

function rejectionText({ advertiser_name, item }: ApprovalAnswer): string {
  const what = item?.title == null ? "the creative" : `"${plain(item.title)}"`;
  return `This rejects ${what} of ${plain(advertiser_name ?? "its advertiser")} for good; the advertiser is told.`;
}

type Item = NonNullable<ApprovalAnswer["item"]>;

/** The largest creative that is saved, as the player's own limit; and how long that may take. */
const LARGEST_BYTES = 1024 ** 3;
const LONGEST_MS = 600_000;

/**
 * Saves a creative to a file, whole or not at all, and compares its size and digest where they are told (F16). Ends the
 * command where it cannot be had, is not what it should be, or the file is there already.
 */
async function saveCreative({ url, size, md5 }: Item, file: string, replace: boolean, get: Get): Promise<number> {
  const there = await onDisk(file, statsOf(file));
  if (there?.isDirectory()) {
    throw new CommandFailure(`${file} is a folder; name a file, such as ${join(file, "creative")}`, exitCodes.usage);
  }
  if (!replace && there !== null) {
    throw new CommandFailure(`${file} is there already; --yes replaces it`, exitCodes.usage);
  }
  const address = webAddress(url);
  return untilInterrupted(async (stop) => {
    const unfinished = join(dirname(file), `.spotloop-${randomBytes(4).toString("hex")}.part`);
    const target = await onDisk(file, open(unfinished, "wx"));
    try {
      const got = await download(address, get, stop, target, file).finally(() => onDisk(file, target.close()));
      if (size !== null && got.sizeBytes !== size) throw wrong(`has ${got.sizeBytes} bytes, not ${size}`);
      if (md5 !== null && got.md5 !== md5.toLowerCase()) throw wrong(`has the MD5 ${got.md5}, not ${md5}`);
      await onDisk(file, rename(unfinished, file));
      return got.sizeBytes;
    } finally {
      await rm(unfinished, { force: true });
    }
  });
}

/** Null where there is no such file. */
async function statsOf(file: string): Promise<Stats | null> {
  try {
    return await stat(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** Shows a creative in the machine's own browser, under its own address; it is not run from this machine's disk. */
function openCreative({ url }: Item): void {
  const address = webAddress(url);
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, address], { detached: true, stdio: "ignore" });
  child.on("error", () => process.stderr.write(`${program} cannot be run; open it yourself: ${address}\n`));
  child.unref();
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** An address as URLs are written, and of the web: what it says else must not reach a program of this machine. */
function webAddress(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address?.protocol === "http:" || address?.protocol === "https:") return address.href;
  throw wrong("has no address of the web");
}

interface Got {
  readonly sizeBytes: number;
  readonly md5: string;
}

async function download(url: string, get: Get, stop: AbortSignal, target: FileHandle, file: string): Promise<Got> {
  try {
    const reply = await follow(get, url, AbortSignal.any([stop, AbortSignal.timeout(LONGEST_MS)]));
    if (succeeded(reply.status)) return await write(reply, target, file);
    await discard(reply);
    throw unreachable(`HTTP ${reply.status}`);
  } catch (error) {
    stop.throwIfAborted();
    throw error instanceof CommandFailure ? error : unreachable(reasonOf(error));
  }
}

async function write({ body }: Reply, target: FileHandle, file: string): Promise<Got> {
  const hash = createHash("md5");
  let sizeBytes = 0;
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > LARGEST_BYTES) throw wrong(`is larger than ${LARGEST_BYTES} bytes`);
    hash.update(chunk);
    // Unlike `write`, which a disk that gets full cuts short without a word.
    await onDisk(file, target.writeFile(chunk));
  }
  return { sizeBytes, md5: hash.digest("hex") };
}

/** Waits for what this machine's disk is asked to do; ends the command where it refuses. */
async function onDisk<T>(file: string, done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown";
    throw new CommandFailure(`${file} cannot be written (${code})`, exitCodes.failed);
  }
}

function wrong(what: string): CommandFailure {
  return new CommandFailure(`The creative ${what}.`, exitCodes.data);
}

function unreachable(reason: string): CommandFailure {
  return new CommandFailure(`The creative cannot be had: ${reason}.`, exitCodes.unavailable);
}
