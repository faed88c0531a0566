import { mergePatch } from "../../src/emulator/faults/effects.ts";
import type { SentAnswer } from "./answer.ts";
import type { Chance } from "./chance.ts";

/** What goes wrong with one call. */
export type Mishap =
  /** It never gets there, or its answer never gets back; quickly, or until the caller has had enough. */
  | { readonly kind: "lost"; readonly arrives: boolean; readonly hangs: boolean }
  /** Somebody else answers in the network's place. */
  | { readonly kind: "instead"; readonly answer: SentAnswer }
  | { readonly kind: "redirected"; readonly hops: number }
  | { readonly kind: "late"; readonly ms: number }
  | { readonly kind: "altered"; alter(answer: SentAnswer): SentAnswer };

export interface NamedMishap {
  readonly name: string;
  readonly mishap: Mishap;
}

/** More hops than are followed. */
const ENDLESS_HOPS = 50;

/** What can befall any call. */
const WIRE = {
  reset: lost(false, false),
  "answer-lost": lost(true, false),
  hang: lost(false, true),
  "answer-hangs": lost(true, true),
  redirect: { kind: "redirected", hops: 2 },
  "redirect-loop": { kind: "redirected", hops: ENDLESS_HOPS },
  late: { kind: "late", ms: 4_000 },
  "too-late": { kind: "late", ms: 12_000 },
  "500": instead(500),
  "502-html": instead(502, { "content-type": "text/html" }, "<h1>Bad gateway</h1>"),
  "503-retry-after": instead(503, { "retry-after": "40" }),
  "408": instead(408),
  "429": instead(429),
  "429-retry-after": instead(429, { "retry-after": "90" }),
} as const satisfies Record<string, Mishap>;

const FEW = 1;
const RARE = 0.1;

const WIRE_WEIGHTS = {
  ...{ reset: 4, "answer-lost": 3, hang: 2, "answer-hangs": 2, redirect: 2, "redirect-loop": RARE, late: 2 },
  ...{
    "too-late": FEW,
    "500": 2,
    "502-html": FEW,
    "503-retry-after": FEW,
    "408": FEW,
    "429": FEW,
    "429-retry-after": FEW,
  },
} as const satisfies Record<keyof typeof WIRE, number>;

const POP = { ...WIRE, "425": instead(425), "403": instead(403), "404": instead(404) };
const POP_WEIGHTS = { ...WIRE_WEIGHTS, "425": FEW, "403": RARE, "404": RARE };

/** What gets in the way of a proof, and of asking after the screen and its location. */
export function plainMishap(route: "pop" | "inventory", chance: Chance, question: string): NamedMishap {
  const name = chance.weighed(POP_WEIGHTS, question);
  return { name: `${route} ${name}`, mishap: POP[name] };
}

const SPOT_WEIGHTS = {
  ...WIRE_WEIGHTS,
  ...{ "401": RARE, "403": RARE, "404": RARE, "204": 2, "429-http-date": FEW, "not-json": FEW, "html-200": FEW },
  ...{ "10-mb": RARE, "no-data": FEW, "null-data": FEW, patched: 8, array: FEW, "deeply-nested": RARE },
};

/** What gets in the way of a spot. */
export function spotMishap(chance: Chance, question: string): NamedMishap {
  const name = chance.weighed(SPOT_WEIGHTS, question);
  return { name: `spot ${name}`, mishap: spotMishapOf(name, chance, question) };
}

function spotMishapOf(name: keyof typeof SPOT_WEIGHTS, chance: Chance, question: string): Mishap {
  switch (name) {
    case "401":
    case "403":
    case "404":
    case "204":
      return instead(Number(name));
    case "429-http-date":
      return altered((answer) => {
        const date = Date.parse(answer.headers.get("date") ?? "");
        return head(answer, 429, { "retry-after": new Date(date + 45_000).toUTCString() });
      });
    case "not-json":
      return altered((answer) => body(answer, answer.bytes.subarray(0, answer.bytes.length / 2)));
    case "html-200":
      return instead(200, { "content-type": "text/html" }, "<h1>Welcome to the hotel</h1>");
    case "10-mb":
      return altered((answer) => body(answer, Buffer.alloc(10 * 1024 * 1024, " ")));
    case "no-data":
      return instead(200, JSON_TYPE, "{}");
    case "null-data":
      return instead(200, JSON_TYPE, `{"data":null}`);
    case "array":
      return instead(200, JSON_TYPE, "[]");
    case "deeply-nested":
      return instead(200, JSON_TYPE, `${"[".repeat(5_000)}${"]".repeat(5_000)}`);
    case "patched": {
      const kind = chance.pick(["news", "ad"], `${question} kind`);
      const change = chance.pick(ITEM_PATCHES, `${question} patch`);
      return altered((answer) => patched(answer, { data: { [kind]: change } }));
    }
    default:
      return WIRE[name];
  }
}

/** What makes an item malformed (F18), or takes it away. */
const ITEM_PATCHES: readonly unknown[] = [
  null,
  "none",
  [],
  { duration: null },
  { duration: 0 },
  { duration: -5 },
  { duration: "15000" },
  { duration: 601_000 },
  { duration: 1e308 },
  { mimeType: "application/x-shockwave-flash" },
  { mimeType: 7 },
  { url: "ftp://cdn.example/a.mp4" },
  { url: "javascript:alert(1)" },
  { url: {} },
  { pop: "" },
  { pop: "file:///etc/passwd" },
  { pop: 12 },
];

const MEDIA_WEIGHTS = {
  ...WIRE_WEIGHTS,
  ...{ "404": 2, "403": FEW, dropped: 4, corrupt: 3, "too-long": 2, "too-short": 2, empty: FEW, "error-page": 2 },
  ...{ slow: 4, stalled: 2, "too-large": FEW, "wrong-range": FEW, changed: FEW },
};

/** What gets in the way of media. `checked`: the spot said how large the file is and what its digest is. */
export function mediaMishap(chance: Chance, question: string, checked: boolean, maxItemBytes: number): NamedMishap {
  const name = chance.weighed(MEDIA_WEIGHTS, question);
  return { name: `media ${name}`, mishap: mediaMishapOf(name, { chance, question, checked, maxItemBytes }) };
}

function mediaMishapOf(
  name: keyof typeof MEDIA_WEIGHTS,
  by: { chance: Chance; question: string; checked: boolean; maxItemBytes: number },
): Mishap {
  const { chance, question, checked, maxItemBytes } = by;
  const cut = chance.between(0.05, 0.95, `${question} cut`);
  const first = ({ bytes }: SentAnswer) => bytes.subarray(0, Math.floor(bytes.length * cut));
  const dropped = altered((answer) => ({ ...answer, bytes: first(answer), pace: { pieces: 4, everyMs: 90 } }));
  switch (name) {
    case "404":
    case "403":
      return instead(Number(name));
    case "dropped":
      return dropped;
    case "stalled":
      return altered((answer) => ({ ...answer, pace: { pieces: 5, everyMs: 200, stallsAfter: 2 } }));
    case "slow":
      return altered((answer) => ({ ...answer, pace: { pieces: 8, everyMs: Math.round(9_000 * cut) } }));
    case "too-long":
      return altered((answer) => head(answer, answer.status, { "content-length": String(answer.bytes.length + 900) }));
    case "too-large":
      return altered((answer) =>
        cut < 0.5
          ? head(answer, answer.status, { "content-length": String(10 * maxItemBytes) })
          : {
              ...answer,
              headers: without(answer, "content-length"),
              bytes: Buffer.alloc(2 * maxItemBytes, answer.bytes),
            },
      );
    case "wrong-range":
      return instead(416, { "content-range": "bytes */3" });
    // What nobody could notice without a digest is left to files that have one: it is no fault of the player's.
    case "corrupt":
      return checked ? altered((answer) => body(answer, flipped(answer.bytes, cut))) : dropped;
    case "too-short":
      return checked ? altered((answer) => body(answer, first(answer))) : dropped;
    case "empty":
      return checked ? altered((answer) => body(answer, Buffer.alloc(0))) : dropped;
    case "error-page":
      return checked ? instead(200, { "content-type": "text/html" }, "<h1>Oops</h1>") : dropped;
    case "changed":
      return altered((answer) => head(answer, answer.status, { etag: `"${question}"` }));
    default:
      return WIRE[name];
  }
}

const JSON_TYPE = { "content-type": "application/json" };

function lost(arrives: boolean, hangs: boolean): Mishap {
  return { kind: "lost", arrives, hangs };
}

function instead(status: number, headers: Record<string, string> = {}, text = ""): Mishap {
  return { kind: "instead", answer: { status, headers: new Headers(headers), bytes: Buffer.from(text) } };
}

function altered(alter: (answer: SentAnswer) => SentAnswer): Mishap {
  return { kind: "altered", alter };
}

function head(answer: SentAnswer, status: number, changes: Readonly<Record<string, string>>): SentAnswer {
  const headers = new Headers(answer.headers);
  for (const [name, value] of Object.entries(changes)) headers.set(name, value);
  return { ...answer, status, headers };
}

function body(answer: SentAnswer, bytes: Buffer): SentAnswer {
  return { ...head(answer, answer.status, { "content-length": String(bytes.length) }), bytes };
}

function without(answer: SentAnswer, name: string): Headers {
  const headers = new Headers(answer.headers);
  headers.delete(name);
  return headers;
}

function flipped(bytes: Buffer, where: number): Buffer {
  const copy = Buffer.from(bytes);
  const at = Math.floor(where * copy.length);
  copy[at] = (copy[at] ?? 0) ^ 0x10;
  return copy;
}

function patched(answer: SentAnswer, patch: unknown): SentAnswer {
  return body(answer, Buffer.from(JSON.stringify(mergePatch(JSON.parse(answer.bytes.toString()), patch))));
}
