import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOSTILE } from "../support/creatives/hostile-site.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

/** More than a player has sessions for pages: one of them has the session of the page that stays. */
const LATER = ["later-0", "later-1", "later-2", "later-3", "later-4"];
const LAST = "later-4";
const TURN_MS = 2_500;
/** What fits into the head of an answer. */
const MANY = Array.from({ length: 700 }, (_, n) => `c${n}=${n}`);
const CITY = "Łódź";

/** Has a cookie of its own and one of its server's, and asks with both. */
const LOCAL = page(`
  await fetch("/town");
  document.cookie = "own=${CITY}";
  await fetch("/asked");
  await fetch("/found/local?" + encodeURIComponent(document.cookie));`);
/** Asks all the time, so that answers with cookies are under way when its turn ends. */
const STAYS = page('let n = 0; setInterval(() => fetch("/many?" + n++), 20);');
const LOOKS = page('fetch("/found" + location.pathname + "?" + encodeURIComponent(document.cookie));');

function page(onload: string): string {
  return `<!doctype html><meta charset="utf-8"><style>body { background: #5a6b3c }</style>
<script>onload = async () => { ${onload} };</script>`;
}

const COOKIES: Readonly<Record<string, readonly string[]>> = {
  "/many": MANY,
  "/town": [Buffer.from(`town=${CITY}`).toString("latin1"), "end=1; Expires=a line of mine; Max-Age=another"],
};
/** What each page found of cookies, by its name. */
const found = new Map<string, string>();
let asked = "";
const site = createServer(({ url = "", headers }, response) => {
  const { pathname, search } = new URL(url, "http://site");
  const name = /^\/found\/([\w-]*)/.exec(pathname)?.[1];
  if (name !== undefined) found.set(name, decodeURIComponent(search.slice(1)));
  if (pathname === "/asked") asked = Buffer.from(headers.cookie ?? "", "latin1").toString();
  const isPage = name === undefined && pathname.endsWith(".html");
  const cookies = COOKIES[pathname];
  response.writeHead(200, {
    ...{ "content-type": isPage ? "text/html" : "text/plain", "cache-control": "no-store" },
    ...(cookies === undefined ? {} : { "set-cookie": [...cookies] }),
  });
  const pages: Readonly<Record<string, string>> = { "/local.html": LOCAL, "/stays.html": STAYS };
  response.end(isPage ? (pages[pathname] ?? LOOKS) : "x");
});

let rig: Rig;
let player: Running;
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  rig = await openRig({ width: 640, height: 360 });
  const names = ["local", "stays", ...LATER];
  const news = names.map((name) => ({ ...plannedItem(HOSTILE, TURN_MS), id: name, url: `${origin}/${name}.html` }));
  await rig.emulator.next(news.map((item) => ({ news: item, ad: null })));
  player = rig.play(["--config", rig.configure()]);
  await eventually("the last page's word", async () => found.has(LAST) || undefined, 90_000);
  expect(await player.stop()).toBe(0);
}, 120_000);

afterAll(async () => {
  await rig?.close();
  site.closeAllConnections();
  site.close();
});

describe("a page's cookies", () => {
  it("are sent as they were written, in any script", () => {
    expect(asked.split("; ").sort()).toEqual(["end=1", `own=${CITY}`, `town=${CITY}`]);
  });

  it("are found as its server has written them", () => {
    expect(found.get("local")?.split("; ")).toContain(`town=${CITY}`);
  });

  it("have nothing to say among the player's own lines", () => {
    expect(player.stderr.filter((line) => /of mine|another/.test(line))).toEqual([]);
  });

  it("that were still being set when its turn ended are not left to the pages after it", () => {
    expect([...found].filter(([name, cookies]) => LATER.includes(name) && cookies !== "")).toEqual([]);
  });
});
