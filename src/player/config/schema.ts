import { z } from "zod";
import { isSegment } from "../../wire/routes.ts";
import { COMMAND_NAMES } from "../remote/commands.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/** Far above any real one: keeps a file that is not what it should be from being taken in whole. */
const LONGEST_TEXT = 1_024;
const MOST_ENTRIES = 64;
/** More displays than a PC has. */
const MOST_SCREENS = 16;

const text = z.string().min(1).max(LONGEST_TEXT);
const folder = text;
const screenId = text.refine((id) => id === "" || isSegment(id), "must not be . or ..");
const bytes = z.int().positive();
const seconds = (longest: number) => z.number().positive().max(longest);

/** Chromium switches that would undo what protects the player from what it shows. */
export const FORBIDDEN_SWITCH =
  /^(no-sandbox|disable-(setuid-|gpu-|seccomp-filter-|namespace-)?sandbox|disable-web-security|disable-site-isolation.*|remote-debugging.*|remote-allow-origins|inspect.*|js-flags|ignore-certificate-errors.*|allow-.*insecure.*|unsafely-treat-insecure-origin-as-secure|allow-file-access-from-files|ssl-key-log-file|log-net-log|load-extension|disable-extensions-except|single-process|no-zygote|host-rules|host-resolver-rules|proxy-.*|user-data-dir|renderer-cmd-prefix|gpu-launcher|utility-cmd-prefix)$/;

const playbackSwitch = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*(=.*)?$/, "must be a switch without its dashes, such as enable-features=VaapiVideoDecoder")
  .max(LONGEST_TEXT)
  .refine(
    (value) => !FORBIDDEN_SWITCH.test(value.split("=", 1)[0] ?? ""),
    "is not allowed: it would undo the sandbox or open the player to others",
  );

/** A secret of one line. */
export const orgTokenSchema = z
  .string()
  .min(1)
  .max(LONGEST_TEXT)
  .regex(/^[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u, "must not hold spaces or control characters");

const CHORD = "must be two or more of Control, Alt, Shift and Super and a key, such as Control+Alt+Shift+D";

const baseUrl = z
  .url({ protocol: /^https?$/i, error: "must be an http or https address" })
  .refine((value) => /^[^?#@]*$/.test(value), "must be an address without user name, query or fragment");

const proxyUrl = z
  .url({ protocol: /^https?$/i, error: "must be an http or https address, such as http://proxy.example:3128" })
  .refine((value) => /^[^?#@]*$/.test(value), "must be without user and password: network.proxyAuthFile holds them");

const brokerUrl = z
  .url({ protocol: /^mqtts$/i, error: "must be an mqtts address, such as mqtts://mqtt.example:8883" })
  .refine((value) => /^[^?#@]*$/.test(value), "must be without user and password: remote.authFile holds them");

/** Of a topic: without what separates parts, or stands for any. */
const topicPart = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, "must be 1 to 64 letters, digits, _, . or -");

/** Two local times of the day, `22:00-06:00`. */
const DAY_SPAN = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/;

/** Slower than that, a download of which nothing came for long could not be told from one that is waiting its turn. */
const LEAST_BITS_PER_SECOND = 100_000;

/** A size in pixels, and a refresh rate in Hz. */
const DISPLAY_MODE = /^[1-9]\d{1,4}x[1-9]\d{1,4}(@\d{1,3}(\.\d{1,3})?)?$/;

/** Which display, how much of it, and how that is set up. */
export const displaySchema = z.strictObject({
  match: z
    .union(
      [text, z.int().positive().transform(String)],
      "must be a display's name, or its place counted from the left, from 1",
    )
    .nullable()
    .default(null)
    .describe("The display to play on: its name, or its place counted from the left, from 1; null: the primary one."),
  fullscreen: z.boolean().default(true).describe("Whether the window fills the display."),
  width: z.int().positive().max(16_384).nullable().default(null).describe("In pixels, where it does not fill it."),
  height: z.int().positive().max(16_384).nullable().default(null).describe("In pixels, where it does not fill it."),
  mode: z
    .string()
    .regex(DISPLAY_MODE, "must be a size and, if need be, a refresh rate, such as 1920x1080 or 1920x1080@59.94")
    .nullable()
    .default(null)
    .describe("What the display is switched to, such as 1920x1080 or 1920x1080@60; null: it is left as it is."),
  rotate: z
    .literal([0, 90, 180, 270])
    .nullable()
    .default(null)
    .describe("By how many degrees its picture is turned clockwise: 0, 90, 180 or 270; null: it is left as it is."),
  scale: z
    .number()
    .min(0.25)
    .max(4)
    .nullable()
    .default(null)
    .describe("Pixels of the display for each that is laid out, in each direction: 2, say; null: it is left as it is."),
});

/** A configuration file as it is written, with every default. Unknown keys are errors. */
export const configFileSchema = z.strictObject({
  $schema: z.string().optional().describe("The JSON Schema of this file, for editors."),
  baseUrl: baseUrl.describe("The address of the screen network's service."),
  orgToken: orgTokenSchema
    .optional()
    .describe("The organization token. Better kept in a file of its own: orgTokenFile."),
  orgTokenFile: text.optional().describe("A file that holds the organization token and nothing else."),
  screenId: screenId.optional().describe("The screen that this player is; required where there are no screens."),
  dataDir: folder.optional().describe("Where the player keeps proofs, media and logs."),
  display: displaySchema.prefault({}),
  screens: z
    .array(z.strictObject({ screenId, display: displaySchema.prefault({}) }))
    .min(1)
    .max(MOST_SCREENS)
    .optional()
    .describe("Instead of screenId and display, several: a list of { screenId, display }."),
  cache: z
    .strictObject({
      maxBytes: bytes.default(8 * GIB).describe("The most that cached media takes up."),
      minFreeBytes: z.int().nonnegative().default(GIB).describe("The least that is left free on the disk."),
      maxItemBytes: bytes.default(GIB).describe("The largest single file that is taken in."),
    })
    .refine(({ maxBytes, maxItemBytes }) => maxItemBytes <= maxBytes, {
      path: ["maxItemBytes"],
      message: "must be at most cache.maxBytes",
    })
    .prefault({}),
  house: z
    .strictObject({
      dir: folder
        .nullable()
        .default(null)
        .describe("A folder of images, clips and pages to show when there is no spot; null: the packaged slate."),
      seconds: seconds(3_600).default(10).describe("How long an image or a page of house.dir stays."),
      clock: z.boolean().default(false).describe("Whether the packaged slate shows the time of day."),
    })
    .prefault({}),
  audio: z
    .strictObject({ muted: z.boolean().default(true).describe("Whether everything plays without sound.") })
    .prefault({}),
  openingHours: z
    .strictObject({
      respect: z.boolean().default(false).describe("Whether the screen rests outside its location's opening hours."),
    })
    .prefault({}),
  creatives: z
    .strictObject({
      allowPrivateNetwork: z.boolean().default(false).describe("Whether creatives may load from private addresses."),
      allowHosts: z
        .array(text)
        .max(MOST_ENTRIES)
        .default([])
        .describe("Hosts they may load from though their addresses are private."),
      maxRequests: z
        .int()
        .positive()
        .max(10_000)
        .default(300)
        .describe("The most requests of one page while it plays."),
      maxBytes: bytes.default(64 * MIB).describe("The most that one page loads."),
      loadSeconds: seconds(20).default(20).describe("How long one page may load before its turn."),
    })
    .prefault({}),
  health: z
    .strictObject({
      port: z
        .int()
        .min(0)
        .max(65_535)
        .nullable()
        .default(8790)
        .describe("The loopback port of the health pages; 0: any free one; null: none."),
    })
    .prefault({}),
  operator: z
    .strictObject({
      chord: z
        .string()
        .regex(/^(?:(?:Control|Alt|Shift|Super)\+){2,4}(?:[A-Z0-9]|F(?:[1-9]|1\d|2[0-4]))$/, CHORD)
        .nullable()
        .default(null)
        .describe("The keys that open the health page on the display, Control+Alt+Shift+D say; null: none do."),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z
        .enum(["debug", "info", "warn", "error"])
        .default("info")
        .describe("The least important lines that are written."),
      dir: folder.optional().describe("Where logs are written; by default logs in dataDir."),
      maxBytes: bytes
        .min(MIB)
        .default(50 * MIB)
        .describe("The most that all log files take up."),
    })
    .prefault({}),
  spot: z
    .strictObject({
      maxAgeSeconds: seconds(3_000).default(900).describe("A spot that waited longer is dropped unplayed."),
      timeoutSeconds: seconds(120).default(10).describe("How long one request for a spot may take."),
    })
    .prefault({}),
  proof: z
    .strictObject({ timeoutSeconds: seconds(120).default(10).describe("How long sending one proof may take.") })
    .prefault({}),
  network: z
    .strictObject({
      proxy: proxyUrl
        .nullable()
        .optional()
        .describe("The proxy that requests go through; null: none. Without it HTTPS_PROXY and HTTP_PROXY say."),
      proxyAuthFile: text.optional().describe("A file with the proxy's user and password: one line, user:password."),
      caFile: text.optional().describe("A PEM file of certificates to trust beside the usual ones."),
      monthlyBytes: bytes
        .nullable()
        .default(null)
        .describe("The most media downloaded in a calendar month; null: no limit."),
      maxBitsPerSecond: z
        .int()
        .min(LEAST_BITS_PER_SECOND)
        .nullable()
        .default(null)
        .describe("How fast all media together are downloaded at most; null: as fast as they come."),
      largeDownloadHours: z
        .string()
        .regex(DAY_SPAN, "must be two times of the day, such as 22:00-06:00")
        .nullable()
        .default(null)
        .describe("When media of more than 10 MiB are downloaded, local time, such as 22:00-06:00; null: at any time."),
    })
    .prefault({}),
  record: z
    .strictObject({
      days: z.int().positive().max(3_650).default(400).describe("How long the playout record is kept."),
      maxBytes: bytes
        .min(16 * MIB)
        .default(GIB)
        .describe("The most that it takes up; older rows go before their time then."),
      witnessUrl: z
        .url({ protocol: /^https?$/i, error: "must be an http or https address" })
        .nullable()
        .default(null)
        .describe("An address that gets each signed checkpoint of the record, by POST; null: none does."),
    })
    .prefault({}),
  remote: z
    .strictObject({
      allow: z
        .array(z.enum(COMMAND_NAMES))
        .max(MOST_ENTRIES)
        .default([])
        .describe(`What may be done from afar, of ${COMMAND_NAMES.join(", ")}; none: nothing listens for it.`),
      broker: brokerUrl
        .nullable()
        .default(null)
        .describe("The MQTT broker that commands come from too, mqtts://mqtt.example:8883 say; null: none."),
      clientId: topicPart
        .nullable()
        .default(null)
        .describe(
          "As whom the player comes to the broker, and the last part but one of its topics; null: its first screenId.",
        ),
      topicPrefix: z
        .string()
        .regex(
          /^[A-Za-z0-9_.-]{1,64}(\/[A-Za-z0-9_.-]{1,64}){0,7}$/,
          "must be parts of a topic, such as spotloop/north",
        )
        .default("spotloop")
        .describe(
          "What its topics begin with: commands come on PREFIX/CLIENT/commands, answers go to PREFIX/CLIENT/answers.",
        ),
      authFile: text.optional().describe("A file with the user and password for the broker: one line, user:password."),
      certFile: text.optional().describe("A PEM file with this player's certificate for the broker."),
      keyFile: text.optional().describe("A PEM file with the key of that certificate."),
      caFile: text
        .optional()
        .describe("A PEM file: certificates of the broker are trusted by these alone, not by the usual ones."),
    })
    .refine(({ certFile, keyFile }) => (certFile === undefined) === (keyFile === undefined), {
      path: ["keyFile"],
      message: "must stand beside remote.certFile, and neither without the other",
    })
    .refine(({ broker, authFile, certFile }) => broker === null || authFile !== undefined || certFile !== undefined, {
      path: ["broker"],
      message: "needs remote.authFile, or remote.certFile and remote.keyFile: each player has credentials of its own",
    })
    .prefault({}),
  playback: z
    .strictObject({
      hardwareDecoding: z.boolean().default(true).describe("Whether video may be decoded by the graphics processor."),
      switches: z
        .array(playbackSwitch)
        .max(MOST_ENTRIES)
        .default([])
        .describe("More Chromium switches, without their dashes."),
    })
    .prefault({}),
});

/** What a configuration file says, defaults filled in. */
export type ConfigFile = z.output<typeof configFileSchema>;

/** Settings that name a file or a folder: relative ones are meant from the configuration file's folder. */
export const PATH_SETTINGS: readonly string[] = [
  ...["orgTokenFile", "dataDir", "house.dir", "log.dir"],
  ...["network.proxyAuthFile", "network.caFile"],
  ...["remote.authFile", "remote.certFile", "remote.keyFile", "remote.caFile"],
];

/** The JSON Schema of a configuration file, for editors: what `assets/config.schema.json` holds. */
export function configJsonSchema(): object {
  const schema = z.toJSONSchema(configFileSchema, { io: "input" });
  return { title: "Spotloop configuration", ...schema, oneOf: [{ required: ["screenId"] }, { required: ["screens"] }] };
}

/** One place in the configuration that holds a value rather than more keys. */
export interface Setting {
  /** Such as `health.port`. */
  readonly path: string;
  readonly schema: z.ZodType;
  /** Whether it is a single value, which a variable of the environment can hold. */
  readonly scalar: boolean;
}

/** Every setting there is, in the order of the schema. */
export function settings(): readonly Setting[] {
  return settingsIn(configFileSchema, "");
}

/** Every key there is, sections included: `health`, `health.port`… */
export function knownKeys(): readonly string[] {
  const paths = settings().map(({ path }) => path);
  return [
    ...new Set(paths.flatMap((path) => [path, ...(path.includes(".") ? [path.slice(0, path.indexOf("."))] : [])])),
  ];
}

function settingsIn(schema: z.ZodObject, prefix: string): Setting[] {
  return Object.entries(schema.shape).flatMap(([name, inner]) => {
    const path = prefix + name;
    const plain = unwrapped(inner as z.ZodType);
    if (plain instanceof z.ZodObject) return settingsIn(plain, `${path}.`);
    return name === "$schema" ? [] : [{ path, schema: inner as z.ZodType, scalar: !(plain instanceof z.ZodArray) }];
  });
}

function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return unwrapped(schema.unwrap() as z.ZodType);
  }
  return schema;
}
