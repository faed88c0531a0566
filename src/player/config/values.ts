import { z } from "zod";
import { HALF, isSegment } from "../../wire/routes.ts";

/** Far above any real one: keeps a file that is not what it should be from being taken in whole. */
export const LONGEST_TEXT = 1_024;
export const MOST_ENTRIES = 64;
export const text = z.string().min(1).max(LONGEST_TEXT);
export const folder = text;
export const screenId = text.refine((id) => id === "" || isSegment(id), {
  error: ({ input }) => (HALF.test(String(input)) ? "must not hold half a character" : "must not be . or .."),
});
export const bytes = z.int().positive();
export const seconds = (longest: number) => z.number().positive().max(longest);

/** Chromium switches that would undo what protects the player from what it shows. */
export const FORBIDDEN_SWITCH =
  /^(no-sandbox|disable-(setuid-|gpu-|seccomp-filter-|namespace-)?sandbox|disable-web-security|disable-site-isolation.*|remote-debugging.*|remote-allow-origins|inspect.*|js-flags|ignore-certificate-errors.*|allow-.*insecure.*|unsafely-treat-insecure-origin-as-secure|allow-file-access-from-files|ssl-key-log-file|log-net-log|load-extension|disable-extensions-except|single-process|no-zygote|host-rules|host-resolver-rules|proxy-.*|user-data-dir|renderer-cmd-prefix|gpu-launcher|utility-cmd-prefix)$/;

export const playbackSwitch = z
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
  .regex(/^[\p{L}\p{M}\p{N}\p{P}\p{S}]*$/u, "must not hold spaces or control characters");

export const HOTKEY = "must be two or more of Control, Alt, Shift and Super and a key, such as Control+Alt+Shift+D";

export const baseUrl = z
  .url({ protocol: /^https?$/i, error: "must be an http or https address" })
  .refine((value) => /^[^?#@]*$/.test(value), "must be an address without user name, query or fragment");

export const proxyUrl = z
  .url({ protocol: /^https?$/i, error: "must be an http or https address, such as http://proxy.example:3128" })
  .refine((value) => /^[^?#@]*$/.test(value), "must be without user and password: network.proxyAuthFile holds them");

export const brokerUrl = z
  .url({ protocol: /^mqtts$/i, error: "must be an mqtts address, such as mqtts://mqtt.example:8883" })
  .refine((value) => /^[^?#@]*$/.test(value), "must be without user and password: remote.authFile holds them");

/** Of a topic: without what separates parts, or stands for any. */
export const topicPart = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, "must be 1 to 64 letters, digits, _, . or -");

/** Two local times of the day, `22:00-06:00`. */
export const DAY_SPAN = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/;

/** Slower than that, a download of which nothing came for long could not be told from one that is waiting its turn. */
export const LEAST_BITS_PER_SECOND = 100_000;

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
  power: z
    .enum(["leave", "dpms", "cec", "ddc"])
    .default("dpms")
    .describe(
      "How the display is switched off while its screen is closed: dpms (no signal), cec or ddc (an order); leave: not at all.",
    ),
});
