import type { FaultFile } from "./schema.ts";

/** Bad days that screens have, by name. */
export const presets = {
  /** A mobile link at the edge of its cell: slow, uneven, and now and then gone in the middle of something. */
  "flaky-lte": [
    { name: "flaky-lte: lost", match: {}, probability: 0.03, do: { reset: true } },
    { name: "flaky-lte: broken off", match: { route: "media" }, probability: 0.05, do: { truncateAt: 40_000 } },
    {
      name: "flaky-lte: thin",
      match: { route: "media" },
      do: { latencyMs: { min: 60, max: 900 }, bytesPerSecond: 400_000 },
    },
    { name: "flaky-lte: slow", match: {}, do: { latencyMs: { min: 60, max: 900 } } },
  ],
  /** A service that has had enough of this client every other time. */
  "rate-limited": [
    { name: "rate-limited", match: { surface: "service" }, probability: 0.5, do: { status: 429, retryAfter: 10 } },
  ],
  /** A content network with everything that they have been seen to do; spots and proofs are fine. */
  "broken-cdn": [
    {
      name: "broken-cdn: down",
      match: { route: "media" },
      probability: 0.15,
      do: { status: 502, body: "<h1>Bad gateway</h1>", contentType: "text/html" },
    },
    { name: "broken-cdn: broken off", match: { route: "media" }, probability: 0.15, do: { truncateAt: 10_000 } },
    { name: "broken-cdn: corrupt", match: { route: "media" }, probability: 0.15, do: { corrupt: 16 } },
    {
      name: "broken-cdn: an error page as 200",
      match: { route: "media" },
      probability: 0.1,
      do: { status: 200, body: "<h1>Oops</h1>", contentType: "text/html" },
    },
    { name: "broken-cdn: in circles", match: { route: "media" }, probability: 0.1, do: { redirect: "loop" } },
    { name: "broken-cdn: slow", match: { route: "media" }, probability: 0.2, do: { bytesPerSecond: 50_000 } },
  ],
  /** Everything answers that it will be back in two minutes. */
  maintenance: [
    {
      name: "maintenance",
      match: {},
      do: { status: 503, retryAfter: 120, body: "<h1>Back soon</h1>", contentType: "text/html" },
    },
  ],
  /** Nothing answers. */
  offline: [{ name: "offline", match: {}, do: { reset: true } }],
} as const satisfies Readonly<Record<string, readonly FaultFile[]>>;

export type PresetName = keyof typeof presets;
export const presetNames = Object.keys(presets) as PresetName[];
