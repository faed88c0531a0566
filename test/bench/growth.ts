import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openLog } from "../../src/player/log/log.ts";
import type { Player } from "../../src/player/player.ts";
import { quiet } from "../simulate/quiet.ts";
import { ManualClock } from "../support/player/manual-clock.ts";
import { openScenario } from "../support/player/scenario.ts";
import type { Direction } from "../support/player/simulated-stage.ts";
import type { Comparison, Line } from "./line.ts";
import { benchFolder } from "./proofs/store.ts";

const SECOND = 1_000;
const DAY_MS = 24 * 3_600 * SECOND;
/** Of virtual time: what is asked for within one comes at its end. */
const STEP_MS = 5 * SECOND;
const ITEM_MS = 60 * SECOND;
const OFF_MS = 60 * SECOND;
const MB = 1_000_000;
/** What is kept is less than what comes in that time, so that all of it is full long before the end. */
const CACHE_BYTES = 4 * MB;
const LOG_BYTES = 5 * MB;
const RECORD_DAYS = 30;

/** What grows, by where it lies in the data folder. */
const PARTS = {
  "proofs and record (proofs.db)": /^proofs\.db/,
  "media index (media.db)": /^media\.db/,
  "logs, all files": /^logs\//,
  "media, all files": /^media\//,
  "all of the data folder": /^/,
} as const;
type Sizes = Readonly<Record<keyof typeof PARTS, number>>;

/**
 * What a screen has on its disk after months of a fast clock: the whole player but its display, with new creatives each day,
 * and URLs that are never the same twice. The last month is compared with the one before.
 */
export const growth: Line = {
  name: "growth",
  isOnRequest: true,
  async run({ quick, signal, progress }) {
    const [days, span] = quick ? [2, 1] : [90, 30];
    const folder = benchFolder();
    const sizes: Sizes[] = [];
    try {
      const dataDir = folder.path;
      const log = openLog({ dir: join(dataDir, "logs"), level: "info", maxBytes: LOG_BYTES, secrets: [] });
      const clock = new ManualClock();
      const network = new EndlessNetwork(clock);
      const scenario = await openScenario(dataDir, {
        ...{ clock, log: log.logger, meddle: (url) => network.answer(url), directed: loadingPages },
        config: { cache: { maxBytes: CACHE_BYTES, maxItemBytes: MB, minFreeBytes: 0 }, record: { days: RECORD_DAYS } },
      });
      try {
        for (let day = 1; day <= days; day++) {
          progress(`day ${day} of ${days}`);
          signal.throwIfAborted();
          for (let passed = 0; passed < DAY_MS - OFF_MS; passed += STEP_MS) {
            await clock.advance(STEP_MS);
            await quiet();
          }
          sizes.push(sizesIn(dataDir));
          await scenario.reboot(OFF_MS);
        }
      } finally {
        await scenario.close();
        await log.close();
      }
    } finally {
      folder.remove();
    }
    const [before, last] = [sizes.slice(-2 * span, -span), sizes.slice(-span)];
    const row = (what: keyof typeof PARTS): Comparison => ({
      ...{ what, unit: "MB", digits: 1, as: "ratio", goal: 1.05 },
      spotloop: [Math.max(...last.map((size) => size[what]))],
      other: [Math.max(...before.map((size) => size[what]))],
    });
    return {
      title: `Growth: ${days} days of ${DAY_MS / ITEM_MS} items each, the record kept for ${RECORD_DAYS}; the most of a day's end`,
      subject: `the last ${span} days`,
      beside: `the ${span} before`,
      rows: (Object.keys(PARTS) as (keyof typeof PARTS)[]).map(row),
    };
  },
};

function sizesIn(folder: string): Sizes {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sized = files.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return { path: path.slice(folder.length + 1), bytes: statSync(path).size };
  });
  const of = (pattern: RegExp) =>
    sized.reduce((all, { path, bytes }) => all + (pattern.test(path) ? bytes : 0), 0) / MB;
  return Object.fromEntries(Object.entries(PARTS).map(([name, pattern]) => [name, of(pattern)])) as Sizes;
}

/** Decks that load pages as a browser does: the page, then what it asks for. */
function loadingPages(player: () => Player): Direction {
  const loadPage = async (item: Parameters<Player["openPage"]>[0]) => {
    const page = player().openPage(item);
    const wanted = [
      item.url,
      ...[1, 2].map((part) => `${item.url}/${part}.css`),
      `${MEDIA}/pixel.png?${Math.random()}`,
    ];
    for (const url of wanted) await page.answer("GET", url).catch(() => null);
    page.close();
    return null;
  };
  return {
    load: async ({ item }) => (item.form === "html" ? loadPage(item) : null),
    record: async ({ item }) => loadPage(item),
  };
}

const MEDIA = "https://media.example";
const POPS = "https://proofs.example";
/** Creatives of each kind that are new on a day, and for how many days each is in the rotation. */
const [NEW_EACH_DAY, DAYS_EACH] = [4, 3];

const KINDS = {
  image: { mimeType: "image/png", head: Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), sizeBytes: 20_000 },
  clip: { mimeType: "video/mp4", head: Buffer.from("\0\0\0\x18ftypmp42", "latin1"), sizeBytes: 60_000 },
  page: { mimeType: "text/html", head: Buffer.from("<!doctype html>\n"), sizeBytes: 5_000 },
} as const;

/** A screen network that never runs out of creatives. Of ads every other has a URL that is signed anew in each spot. */
class EndlessNetwork {
  readonly #clock: ManualClock;
  #spots = 0;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** Nothing where it is asked for what is no spot, creative or proof. */
  answer(url: string): Response | undefined {
    const { origin, pathname } = new URL(url);
    if (origin === MEDIA) return this.#told(bytesOf(pathname), typeOf(pathname));
    if (origin === POPS) return this.#told("{}", "application/json");
    if (pathname.includes("/rt_ad/")) return this.#told(JSON.stringify({ data: this.#spot() }), "application/json");
    return undefined;
  }

  #told(body: BodyInit, type: string): Response {
    const date = new Date(this.#clock.wall()).toUTCString();
    return new Response(body, { headers: { "content-type": type, date, "cache-control": "max-age=3600" } });
  }

  #spot(): object {
    const number = this.#spots++;
    const news = this.#item(number % 2 === 0 ? "page" : "image", number, "");
    const ad = this.#item("clip", number, number % 2 === 0 ? `?signature=${number}` : "");
    return { requestId: `request-${number}`, billable: true, newsFirst: true, news: { ...news, newsType: "city" }, ad };
  }

  #item(kind: keyof typeof KINDS, number: number, query: string): object {
    const day = Math.floor(this.#clock.wall() / DAY_MS);
    const name = `${kind}-${day - (number % DAYS_EACH)}-${Math.floor(number / DAYS_EACH) % NEW_EACH_DAY}`;
    const shape = { mimeType: KINDS[kind].mimeType, width: 1920, height: 1080, duration: ITEM_MS };
    return { id: name, title: name, ...shape, url: `${MEDIA}/${name}${query}`, pop: `${POPS}/${name}/${number}` };
  }
}

function kindOf(path: string) {
  return KINDS[path.split("-")[0]?.slice(1) as keyof typeof KINDS];
}

function typeOf(path: string): string {
  return path.endsWith(".css") ? "text/css" : (kindOf(path)?.mimeType ?? "image/png");
}

/** The same for the same path. */
function bytesOf(path: string): Uint8Array<ArrayBuffer> {
  const { head, sizeBytes } = path.endsWith(".css") ? { head: "", sizeBytes: 3_000 } : (kindOf(path) ?? KINDS.image);
  const bytes = new Uint8Array(sizeBytes).fill(createHash("sha256").update(path).digest()[0] ?? 0);
  bytes.set(createHash("sha256").update(path).digest(), head.length);
  bytes.set(Buffer.from(head));
  return bytes;
}
