import { closeSync, fstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Logger, pino, stdTimeFunctions } from "pino";
import type roll from "pino-roll";

export interface LogOptions {
  readonly dir: string;
  readonly level: "debug" | "info" | "warn" | "error";
  /** All files together. */
  readonly maxBytes: number;
  /** Values that must never be in a line, however they come there. */
  readonly secrets: readonly string[];
  /** The file is opened when this resolves, or when the log is closed; lines wait for it. At once where it is absent. */
  readonly fileAfter?: Promise<void>;
  /** Where each line also goes, readable for people: `process.stderr` as a rule. */
  readonly echo?: { write(text: string): unknown };
}

interface Log {
  readonly logger: Logger;
  /** Resolves when all lines are in the file; what is logged later goes nowhere but to `echo`. */
  close(): Promise<void>;
}

/** How many files are kept, the one being written included. */
export const LOG_FILES = 5;

/** How many bytes of lines wait in memory for a full disk; what comes then is dropped. */
const LONGEST_QUEUE_BYTES = 4 * 1024 * 1024;

/** A file is full at this share of its size: it only turns out to be full by a write that is one too many. */
const FULL_SHARE = 0.9;

/** A disk that takes longer for the last lines is not waited for. */
const CLOSE_WITHIN_MS = 2_000;

/**
 * Opens the log: JSON lines in `dir`/spotloop.<n>.log, in files that take turns within `maxBytes`. Where nothing can be
 * written there, the lines go to stderr instead. In this process: there are no workers inside a packaged app.
 */
export function openLog(options: LogOptions): Log {
  const { level, secrets, echo } = options;
  const redact = redactor(secrets);
  // Until the file is open, or known never to be.
  const held: string[] = [];
  let file: LogFile | null = null;
  let opening = true;
  const keep = (line: string) => {
    if (file !== null) file.write(line);
    else if (echo === undefined) process.stderr.write(readable(line));
  };
  const sink = {
    write(line: string) {
      const clean = redact(line);
      echo?.write(readable(clean));
      if (opening) held.push(clean);
      else keep(clean);
    },
  };
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_KEYS, censor: REDACTED },
    },
    sink,
  );
  let opened: Promise<void> | null = null;
  const open = () => {
    opened ??= openFile(options).then((result) => {
      file = result.kind === "open" ? result.file : null;
      opening = false;
      for (const line of held.splice(0)) keep(line);
      if (result.kind === "open") return;
      logger.error({ dir: options.dir, reason: result.reason }, "the log folder cannot be written");
    });
    return opened;
  };
  void (options.fileAfter ?? Promise.resolve()).then(open);
  return {
    logger,
    async close() {
      await open();
      await file?.close();
    },
  };
}

const SECRET_KEYS = ["orgToken", "org_token", "pop", "token"].flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

interface LogFile {
  write(line: string): void;
  close(): Promise<void>;
}

type FileOpening =
  | { readonly kind: "open"; readonly file: LogFile }
  /** The system's words, or those of pino-roll, which takes no colon or quote in a path. */
  | { readonly kind: "unusable"; readonly reason: string };

async function openFile({ dir, maxBytes }: LogOptions): Promise<FileOpening> {
  try {
    mkdirSync(dir, { recursive: true });
    // Loaded only now: it takes longer to load than the rest of the log, and nobody waits for the file.
    const { default: roll } = await import("pino-roll");
    const stream = await roll({
      file: join(dir, "spotloop"),
      extension: "log",
      size: `${Math.floor((maxBytes / LOG_FILES) * FULL_SHARE)}b`,
      limit: { count: LOG_FILES, removeOtherLogFiles: true },
      maxLength: LONGEST_QUEUE_BYTES,
      // Lines are few, and the last ones before a crash are the ones that matter; and it only turns to the next file when
      // no line waits to be written.
      sync: true,
    });
    return { kind: "open", file: logFile(stream) };
  } catch (error) {
    return { kind: "unusable", reason: error instanceof Error ? error.message : String(error) };
  }
}

type RollingFile = Awaited<ReturnType<typeof roll>>;

function logFile(stream: RollingFile): LogFile {
  let closing: Promise<void> | null = null;
  // A full or failing disk costs lines, never the player: the stream keeps what fits its queue and tries again.
  stream.on("error", () => {});
  return {
    write(line) {
      if (closing !== null) return;
      if (!isInPlace(stream)) beginAnew(stream);
      stream.write(line);
    },
    close() {
      closing ??= new Promise((resolve) => {
        const timer = setTimeout(resolve, CLOSE_WITHIN_MS);
        const done = () => {
          clearTimeout(timer);
          resolve();
        };
        stream.once("close", done);
        stream.once("error", done);
        stream.end();
      });
      return closing;
    },
  };
}

/** Whether what is open is what its name leads to. */
function isInPlace({ file, fd }: RollingFile): boolean {
  try {
    const [named, open] = [statSync(file), fstatSync(fd)];
    return named.ino === open.ino && named.dev === open.dev;
  } catch {
    return false;
  }
}

/**
 * Somebody may clear away the log, by itself or with its folder, or put another file in its place, as logrotate does: what is
 * open then takes lines that nobody can read, and room that nobody sees taken.
 */
function beginAnew(stream: RollingFile): void {
  const { file } = stream;
  try {
    mkdirSync(dirname(file), { recursive: true });
    // Each try of the stream's own that fails would leave something behind.
    closeSync(openSync(file, "a"));
    stream.reopen();
  } catch {
    // Nothing can be written there for now: the line goes where those before it went.
  }
}

/** A line of the log for people: `04:05:06.789 WARN  item failed reason=stalled`. What is no such line stays as it is. */
function readable(line: string): string {
  const fields = fieldsOf(line);
  if (fields === null) return line;
  const { time, level, msg, err, ...rest } = fields;
  const clock = typeof time === "string" ? time.slice(11, 23) : "";
  const details = Object.entries(rest).map(
    ([key, value]) => `${key}=${onOneLine(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  const head = [clock, String(level).toUpperCase().padEnd(5), String(msg ?? ""), ...details].join(" ").trimEnd();
  return err === undefined ? `${head}\n` : `${head}\n${stackOf(err)}\n`;
}

/** What others have named could end the line and write the next one, or speak to a terminal; a journal hides it whole. */
function onOneLine(text: string): string {
  const written = (control: string) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replaceAll("\n", "\\n").replace(/\p{Cc}/gu, written);
}

function fieldsOf(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function stackOf(err: unknown): string {
  const stack = typeof err === "object" && err !== null && "stack" in err ? err.stack : err;
  return String(stack).replace(/^/gm, "  ");
}

/** What stands where a secret stood. */
const REDACTED = "[redacted]";

/**
 * Blots secrets out of text, wherever they stand and in every way that they may be written there: as they are, inside a
 * JSON text, and percent-encoded as in a URL. The last line of defence, below not logging them.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const written = new Set(secrets.filter((secret) => secret !== "").flatMap(waysToWrite));
  const longestFirst = [...written].sort((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((blotted, form) => blotted.replaceAll(form, REDACTED), text);
}

function waysToWrite(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  const lowerCase = encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
  const inJson = (form: string) => JSON.stringify(form).slice(1, -1);
  return [secret, encoded, lowerCase, encodeURI(secret)].flatMap((form) => [form, inJson(form), inJson(inJson(form))]);
}
