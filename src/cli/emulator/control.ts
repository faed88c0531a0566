import { type Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { CommandFailure, exitCodes } from "../exit.ts";

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
