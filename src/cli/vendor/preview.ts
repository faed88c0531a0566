import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { discard, follow, type Get, type Reply, succeeded } from "../../client/http.ts";
import { reasonOf } from "../../client/reply.ts";
import type { ApprovalAnswer } from "../../wire/inventory-answers.ts";
import { CommandFailure, exitCodes } from "../exit.ts";

type Item = NonNullable<ApprovalAnswer["item"]>;

/** The largest creative that is saved, as the player's own limit; and how long that may take. */
const LARGEST_BYTES = 1024 ** 3;
const LONGEST_MS = 600_000;

/**
 * Saves a creative to a file, whole or not at all, and compares its size and digest where they are told (F16). Ends the
 * command where it cannot be had, is not what it should be, or the file is there already.
 */
export async function saveCreative(
  { url, size, md5 }: Item,
  file: string,
  replace: boolean,
  get: Get,
): Promise<number> {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandFailure(`${file} is a folder; name a file, such as ${join(file, "creative")}`, exitCodes.usage);
  }
  if (!replace && existsSync(file)) {
    throw new CommandFailure(`${file} is there already; --yes replaces it`, exitCodes.usage);
  }
  const unfinished = `${file}.part`;
  try {
    const got = await download(webAddress(url), unfinished, get);
    if (size !== null && got.sizeBytes !== size) throw wrong(`has ${got.sizeBytes} bytes, not ${size}`);
    if (md5 !== null && got.md5 !== md5.toLowerCase()) throw wrong(`has the MD5 ${got.md5}, not ${md5}`);
    await rename(unfinished, file).catch((error) => {
      throw unwritable(file, error);
    });
    return got.sizeBytes;
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Shows a creative in the machine's own browser, under its own address; it is not run from this machine's disk. */
export function openCreative({ url }: Item): void {
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

async function download(url: string, file: string, get: Get): Promise<{ sizeBytes: number; md5: string }> {
  const signal = AbortSignal.timeout(LONGEST_MS);
  let reply: Reply;
  try {
    reply = await follow(get, url, signal);
  } catch (error) {
    throw unreachable(reasonOf(error));
  }
  if (!succeeded(reply.status)) {
    await discard(reply);
    throw unreachable(`HTTP ${reply.status}`);
  }
  return write(reply, file);
}

async function write({ body }: Reply, file: string): Promise<{ sizeBytes: number; md5: string }> {
  const target = await open(file, "w").catch((error) => {
    throw unwritable(file, error);
  });
  const hash = createHash("md5");
  let sizeBytes = 0;
  try {
    for await (const chunk of body ?? []) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > LARGEST_BYTES) throw wrong(`is larger than ${LARGEST_BYTES} bytes`);
      hash.update(chunk);
      await target.write(chunk);
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw unreachable(reasonOf(error));
  } finally {
    await target.close();
  }
  return { sizeBytes, md5: hash.digest("hex") };
}

function wrong(what: string): CommandFailure {
  return new CommandFailure(`The creative ${what}.`, exitCodes.data);
}

function unwritable(file: string, { code }: NodeJS.ErrnoException): CommandFailure {
  return new CommandFailure(`${file} cannot be written (${code})`, exitCodes.failed);
}

function unreachable(reason: string): CommandFailure {
  return new CommandFailure(`The creative cannot be had: ${reason}.`, exitCodes.unavailable);
}
