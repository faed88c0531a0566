import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { z } from "zod";
import { worldSchema } from "./schema.ts";

/** A world that says what can be said, with comments; it begins as it is, without any file beside it. */
export const EXAMPLE_WORLD = `{
  // Lets an editor complete and check: spotloop emulator world --schema > world.schema.json
  "$schema": "./world.schema.json",

  // What is left out has a default; only an organization with a screen is needed.
  "organizations": [
    {
      "org_token": "org_mine",
      "locations": [
        {
          "location_id": "loc_foyer",
          "title": "Foyer",
          "venue_type_id": "101",
          "lat": 53.5453,
          "long": 9.9687,
          // DRAFT, REVIEW or APPROVED: screens of others get no spots.
          "status": "APPROVED"
          // "opening_168": 168 booleans from Monday 00:00, "visitors_7": 7 numbers. Without hours it is always open.
        }
      ],
      "screens": [{ "screen_id": "screen_wall", "title": "Wall", "venue_type_id": "101", "location_id": "loc_foyer" }],
      // An ad needs a creative that was approved, and a campaign that has it shown.
      "cars": [
        {
          "car_id": "car_coffee",
          "status": "approved",
          "advertiser_name": "Kettle",
          "campaign_name": "Second cup",
          "creative": "ad-coffee"
        },
        { "car_id": "car_mine", "advertiser_name": "Me", "campaign_name": "Mine", "creative": "ad-mine" }
      ],
      "campaigns": [
        // Not billable: "paid": false. Only on some screens: "screens": ["screen_wall"].
        { "campaign_id": "cmp_coffee", "car_id": "car_coffee" },
        { "campaign_id": "cmp_mine", "car_id": "car_mine", "duration": 8000 }
      ]
    }
  ],

  // Your own, beside those of the emulator (ad-coffee, news-weather...). A file is a path below this file's folder; its
  // media type, size and length are read: { "name": "ad-mine", "file": "mine.mp4" }
  "creatives": [
    {
      "name": "ad-mine",
      "title": "Mine",
      "mimeType": "image/png",
      "width": 1920,
      "height": 1080,
      "duration": 8000,
      "url": "https://cdn.example/mine.png"
    }
  ],

  // In every screen's rotation.
  "news": [{ "creative": "news-weather", "newsType": "weather" }, { "creative": "news-transit" }],

  // The network's own time: "frozen" until it is moved, or "real", at a "speed" of up to 10000.
  "clock": { "mode": "real", "speed": 1 },

  // A preset (flaky-lte, rate-limited, broken-cdn, maintenance, offline) or a rule; the first that fits strikes.
  "faults": [{ "name": "one bad gateway", "match": { "route": "spot" }, "times": 1, "do": { "status": 502 } }],

  // After how long the operator's decision comes by itself, in milliseconds of the network's time; null is never.
  "autoApprove": { "carsMs": 172800000, "locationsMs": null },

  // The most calls in a number of seconds for each token, screen or route.
  "rateLimits": [{ "per": "screen", "calls": 100, "seconds": 60 }],

  // Where the interface can be read in two ways: GET /control/behaviour lists all of them.
  "behaviour": { "createStatus": 201 }
}
`;

/** What a world file's text says, or where it is no JSON. Comments and commas before an end are allowed. */
type WorldText =
  | { readonly kind: "content"; readonly content: unknown }
  | { readonly kind: "broken"; readonly line: number; readonly column: number; readonly problem: string };

/** Parses the text of a world file. */
export function parseWorld(text: string): WorldText {
  const errors: ParseError[] = [];
  const content: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return { kind: "content", content };
  const before = text.slice(0, first.offset).split("\n");
  const problem = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return { kind: "broken", line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem };
}

/** The JSON Schema of a world file, for editors. Comments and commas before an end are allowed beside it. */
export function worldJsonSchema(): object {
  const schema = z.toJSONSchema(worldSchema, { io: "input", unrepresentable: "any" });
  return { title: "World of the Spotloop emulator", allowComments: true, allowTrailingCommas: true, ...schema };
}

/** The members that name an entry of a list in a world, so that what is told of it does not hang on its place. */
const NAMES = ["org_token", "screen_id", "location_id", "campaign_id", "car_id", "name", "creative"];

/**
 * Where two values differ, as paths with what became of each: `organizations[org_a].screens[wall].width: 1920 is 1280
 * now`. Entries of lists are matched by what names them, others by their place.
 */
export function differences(before: unknown, after: unknown, path = ""): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [old, young] = [membersOf(before), membersOf(after)];
  if (old === null || young === null || Array.isArray(before) !== Array.isArray(after)) {
    return [`${path}: ${shortened(before)} is ${shortened(after)} now`];
  }
  const keys = [...new Set([...old.keys(), ...young.keys()])];
  const found = keys.flatMap((key) => {
    const below = Array.isArray(before) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    if (!old.has(key)) return young.get(key) === undefined ? [] : [`${below} is new`];
    if (!young.has(key)) return old.get(key) === undefined ? [] : [`${below} is gone`];
    return differences(old.get(key), young.get(key), below);
  });
  return found.length > 0 ? found : [`${path} has another order`];
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (typeof value !== "object" || value === null) return null;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const names = value.map((entry, index) => nameOf(entry) ?? String(index));
  // Two entries of one name, such as the same news twice, can only be told by their places.
  const unique = new Set(names).size === names.length;
  return new Map(value.map((entry, index) => [unique ? (names[index] ?? "") : String(index), entry]));
}

function nameOf(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null) return null;
  const members = entry as Readonly<Record<string, unknown>>;
  const name = NAMES.map((key) => members[key]).find((member) => typeof member === "string");
  return typeof name === "string" ? name : null;
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
