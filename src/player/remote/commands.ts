import { z } from "zod";

/** Larger than any command. */
export const MOST_COMMAND_BYTES = 4_096;
/** What a screen can show so that it can be read from afar. */
export const MOST_MESSAGE_CHARACTERS = 300;
export const MOST_MESSAGE_LINES = 8;
export const LONGEST_MESSAGE_SECONDS = 7 * 24 * 3_600;
export const LONGEST_TEST_CARD_SECONDS = 60;

const head = {
  /** Chosen by the sender, never twice. */
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -"),
  /** When it was sent, ISO 8601. */
  at: z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T18:00:00Z" }),
};

const message = z
  .string()
  .trim()
  .min(1)
  .max(MOST_MESSAGE_CHARACTERS)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|\n)*$/u, "must be plain text")
  .refine((text) => text.split("\n").length <= MOST_MESSAGE_LINES, `must have at most ${MOST_MESSAGE_LINES} lines`);

/** Everything that a player can be told to do from afar: what is not here does not exist. Nothing is taken beside it. */
const SCHEMAS = {
  screenshot: z.strictObject({
    ...head,
    command: z.literal("screenshot"),
    screen: z.string().min(1).max(64).optional(),
  }),
  restart: z.strictObject({ ...head, command: z.literal("restart") }),
  reboot: z.strictObject({ ...head, command: z.literal("reboot") }),
  display: z.strictObject({ ...head, command: z.literal("display"), power: z.enum(["on", "off"]) }),
  doctor: z.strictObject({ ...head, command: z.literal("doctor") }),
  reload: z.strictObject({ ...head, command: z.literal("reload") }),
  "test-card": z.strictObject({
    ...head,
    command: z.literal("test-card"),
    seconds: z.int().min(1).max(LONGEST_TEST_CARD_SECONDS).default(LONGEST_TEST_CARD_SECONDS),
  }),
  message: z.strictObject({
    ...head,
    command: z.literal("message"),
    /** Null takes it back. */
    text: message.nullable(),
    seconds: z.int().min(1).max(LONGEST_MESSAGE_SECONDS).nullable().default(null),
  }),
} as const;

export type CommandName = keyof typeof SCHEMAS;
export type CommandOf<Name extends CommandName> = z.output<(typeof SCHEMAS)[Name]>;
export type Command = { [Name in CommandName]: CommandOf<Name> }[CommandName];

export const COMMAND_NAMES = Object.keys(SCHEMAS) as readonly CommandName[];

/** Why a command was not done. */
export type Refusal =
  | "too-large"
  | "topic"
  | "malformed"
  | "unknown"
  | "not-allowed"
  | "stale"
  | "replayed"
  | "busy"
  | "storage"
  | "unavailable";

export type CommandReading =
  | { readonly kind: "command"; readonly command: Command }
  /** `id` and `name` as far as they could be read. */
  | {
      readonly kind: "refused";
      readonly reason: Refusal;
      readonly id: string | null;
      readonly name: CommandName | null;
      readonly text: string;
    };

/** Reads a command as it was sent: one JSON object. */
export function readCommand(sent: Uint8Array): CommandReading {
  const nobody = { id: null, name: null };
  if (sent.byteLength > MOST_COMMAND_BYTES) {
    return { kind: "refused", reason: "too-large", ...nobody, text: `is larger than ${MOST_COMMAND_BYTES} bytes` };
  }
  const value = parsed(sent);
  if (value === null) return { kind: "refused", reason: "malformed", ...nobody, text: "is no JSON object" };
  const id = head.id.safeParse(value.id).data ?? null;
  const name = COMMAND_NAMES.find((one) => one === value.command) ?? null;
  if (name === null) return { kind: "refused", reason: "unknown", id, name, text: "there is no such command" };
  const read = SCHEMAS[name].safeParse(value);
  if (read.success) return { kind: "command", command: read.data };
  const text = read.error.issues.map(({ path, message }) => `${path.join(".") || "it"}: ${message}`).join("; ");
  return { kind: "refused", reason: "malformed", id, name, text };
}

function parsed(sent: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(sent));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

const attachmentSchema = z.object({ type: z.enum(["image/jpeg", "application/json"]), base64: z.base64() });

/** What a command brought back. */
export type Attachment = z.output<typeof attachmentSchema>;

/** What came of a command; each is answered once, in the order in which they came. */
export const answerSchema = z.object({
  /** The command's, or null where it had none that could be read. */
  id: z.string().nullable(),
  command: z.string().nullable(),
  /** By the player's clock, ISO 8601. */
  at: z.string(),
  /** `failed`: it was begun, and could not be done. */
  outcome: z.enum(["done", "failed", "refused"]),
  reason: z.string().nullable(),
  /** For people. */
  text: z.string(),
  attachment: attachmentSchema.nullable(),
});

export type Answer = z.output<typeof answerSchema> & { readonly reason: Refusal | null };
