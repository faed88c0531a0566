import { z } from "zod";
import { COMMAND_NAMES } from "../remote/commands.ts";
import {
  baseUrl,
  brokerUrl,
  bytes,
  DAY_SPAN,
  displaySchema,
  folder,
  HOTKEY,
  LEAST_BITS_PER_SECOND,
  MOST_ENTRIES,
  orgTokenSchema,
  playbackSwitch,
  proxyUrl,
  screenId,
  seconds,
  text,
  topicPart,
} from "./values.ts";

export const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/** More displays than a PC has. */
const MOST_SCREENS = 16;

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
      maxItemBytes: bytes
        .optional()
        .describe("The largest single file that is taken in; by default 1 GiB, or cache.maxBytes where that is less."),
    })
    .refine(({ maxBytes, maxItemBytes }) => maxItemBytes === undefined || maxItemBytes <= maxBytes, {
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
        .regex(/^(?:(?:Control|Alt|Shift|Super)\+){2,4}(?:[A-Z0-9]|F(?:[1-9]|1\d|2[0-4]))$/, HOTKEY)
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
