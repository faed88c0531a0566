import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { HOSTILE, type HostileSite, openHostileSite } from "../support/creatives/hostile-site.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { type Counting, openCounting } from "../support/machine/counting.ts";
import { INSPECTED, lookInside } from "../support/machine/inside.ts";
import { netLogTo, reachingSoFar } from "../support/machine/net-log.ts";
import { eventually } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

/** A way out of a page: code with `PORT` for the port of its listener and `HOST` for the listener's address. */
interface Way {
  readonly name: string;
  readonly by: "tcp" | "udp";
  readonly code: string;
}

/** What the policy never allows, however near the service is. */
const NEVER: readonly Way[] = [
  { name: "ws", by: "tcp", code: 'new WebSocket("ws://HOST:PORT/")' },
  { name: "wss", by: "tcp", code: 'new WebSocket("wss://HOST:PORT/")' },
  { name: "ws of a worker", by: "tcp", code: worker('new WebSocket("ws://HOST:PORT/")') },
  { name: "sendBeacon", by: "tcp", code: 'navigator.sendBeacon("http://HOST:PORT/", "x")' },
  {
    name: "POST with keepalive",
    by: "tcp",
    code: 'fetch("http://HOST:PORT/", { method: "POST", keepalive: true, body: "x" })',
  },
  {
    name: "PUT by XHR",
    by: "tcp",
    code: 'const x = new XMLHttpRequest(); x.open("PUT", "http://HOST:PORT/"); x.send("x")',
  },
  {
    name: "ping of a link",
    by: "tcp",
    code: 'const a = document.createElement("a"); a.href = "#x"; a.ping = "http://HOST:PORT/"; document.body.append(a); a.click()',
  },
  { name: "preconnect", by: "tcp", code: link("preconnect") },
  {
    name: "form",
    by: "tcp",
    code: 'const f = document.createElement("form"); f.method = "post"; f.action = "http://HOST:PORT/"; document.body.append(f); f.submit()',
  },
  { name: "ftp", by: "tcp", code: 'new Image().src = "ftp://HOST:PORT/x.png"' },
  { name: "stun", by: "udp", code: rtc('{ urls: "stun:HOST:PORT" }') },
  {
    name: "turn by udp",
    by: "udp",
    code: rtc('{ urls: "turn:HOST:PORT?transport=udp", username: "u", credential: "c" }'),
  },
  {
    name: "turn by tcp",
    by: "tcp",
    code: rtc('{ urls: "turn:HOST:PORT?transport=tcp", username: "u", credential: "c" }'),
  },
  { name: "turns", by: "tcp", code: rtc('{ urls: "turns:HOST:PORT", username: "u", credential: "c" }') },
  { name: "webtransport", by: "udp", code: 'new WebTransport("https://HOST:PORT/").ready.catch(() => {})' },
];

/** What a page may load, but not from addresses nearer than the service is. */
const NEARER: readonly Way[] = [
  { name: "fetch", by: "tcp", code: 'fetch("http://HOST:PORT/")' },
  { name: "fetch by https", by: "tcp", code: 'fetch("https://HOST:PORT/")' },
  { name: "fetch without cors", by: "tcp", code: 'fetch("http://HOST:PORT/", { mode: "no-cors", keepalive: true })' },
  { name: "fetch of a worker", by: "tcp", code: worker('fetch("http://HOST:PORT/")') },
  { name: "XHR", by: "tcp", code: 'const x = new XMLHttpRequest(); x.open("GET", "http://HOST:PORT/"); x.send()' },
  { name: "EventSource", by: "tcp", code: 'new EventSource("http://HOST:PORT/")' },
  { name: "image", by: "tcp", code: 'new Image().src = "http://HOST:PORT/x.png"' },
  {
    name: "video",
    by: "tcp",
    code: 'const v = document.createElement("video"); v.src = "http://HOST:PORT/x.mp4"; document.body.append(v)',
  },
  {
    name: "script",
    by: "tcp",
    code: 'const s = document.createElement("script"); s.src = "http://HOST:PORT/x.js"; document.body.append(s)',
  },
  {
    name: "frame",
    by: "tcp",
    code: 'const f = document.createElement("iframe"); f.src = "http://HOST:PORT/"; document.body.append(f)',
  },
  {
    name: "object",
    by: "tcp",
    code: 'const o = document.createElement("object"); o.data = "http://HOST:PORT/"; document.body.append(o)',
  },
  { name: "css url", by: "tcp", code: style('p { background: url("http://HOST:PORT/x.png") }') },
  { name: "css import", by: "tcp", code: style('@import "http://HOST:PORT/x.css"') },
  { name: "font", by: "tcp", code: 'new FontFace("x", "url(http://HOST:PORT/x.woff)").load().catch(() => {})' },
  { name: "prefetch", by: "tcp", code: link("prefetch") },
  { name: "preload", by: "tcp", code: link("preload", 'l.as = "image"') },
  { name: "modulepreload", by: "tcp", code: link("modulepreload") },
  { name: "stylesheet", by: "tcp", code: link("stylesheet") },
  { name: "icon", by: "tcp", code: link("icon") },
  { name: "manifest", by: "tcp", code: link("manifest") },
  { name: "import", by: "tcp", code: 'import("http://HOST:PORT/x.js").catch(() => {})' },
  {
    name: "speculation rules",
    by: "tcp",
    code: 'const s = document.createElement("script"); s.type = "speculationrules"; s.text = JSON.stringify({ prefetch: [{ source: "list", urls: ["http://HOST:PORT/"] }] }); document.head.append(s)',
  },
  { name: "redirect", by: "tcp", code: 'fetch("/redirect?to=" + encodeURIComponent("http://HOST:PORT/"))' },
  {
    name: "a name that leads here",
    by: "tcp",
    code: 'fetch("http://localhost:PORT/"); fetch("http://x.localhost:PORT/")',
  },
  {
    name: "an address in disguise",
    by: "tcp",
    code: 'fetch("http://[::ffff:127.0.0.1]:PORT/"); fetch("http://2130706433:PORT/"); fetch("http://0x7f.1:PORT/")',
  },
];

function worker(code: string): string {
  return `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}])))`;
}

function link(rel: string, more = ""): string {
  return `const l = document.createElement("link"); l.rel = "${rel}"; l.href = "http://HOST:PORT/"; ${more}; document.head.append(l)`;
}

function style(css: string): string {
  return `const s = document.createElement("style"); s.textContent = ${JSON.stringify(css)}; document.head.append(s); document.body.append(document.createElement("p"))`;
}

function rtc(server: string): string {
  return `const c = new RTCPeerConnection({ iceServers: [${server}] }); c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o))`;
}

/** Names that a page would have looked up without asking for anything there. */
const NAMES = `for (const rel of ["dns-prefetch", "preconnect"]) { const l = document.createElement("link"); l.rel = rel; l.href = "//" + rel + ".spotloop.example"; document.head.append(l); }`;

/** Time for what a page began to reach its end: a WebRTC candidate is sought for some seconds. */
const ITEM_MS = 5_000;
/** A machine that has other work may fail the first: then it answers too late. */
const TRIES = 5;
const catalogue = readCatalogue();
/** A machine without IPv6 has only the one; the tests' names tell. */
const HOSTS = Object.values(networkInterfaces()).flatMap((addresses = []) =>
  addresses.flatMap(({ address }) => (["127.0.0.1", "::1"].includes(address) ? [address] : [])),
);

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** Plays a page that tries all ways, in sight, and tells what came of them: counts by way, and Chromium's own doings. */
async function tryAll(ways: readonly Way[], siteHost: string) {
  const rig = await openRig({ width: 640, height: 360, emulate: () => ["--host", siteHost] });
  closing.push(() => rig.close());
  const countings = await Promise.all(HOSTS.map((host) => attempts(ways, host)));
  const onAir = [NAMES, ...countings.flatMap(({ code }) => code), 'setTimeout(() => report("all", "tried"), 500)'].join(
    "\n",
  );
  const site = await openHostileSite([{ name: "tries", onAir }], catalogue, siteHost);
  closing.push(() => site.close());
  const reaching = await play(rig, site);
  return { site, reaching, counts: Object.assign({}, ...countings.map(({ counting }) => counting.counts())) as Counts };
}

type Counts = Readonly<Record<string, number>>;

async function attempts(ways: readonly Way[], host: string): Promise<{ counting: Counting; code: readonly string[] }> {
  const counting = openCounting(host);
  closing.push(() => counting.close());
  const named = host.includes(":") ? `[${host}]` : host;
  const code = ways.map(async ({ name, by, code }) => {
    const port = await counting[by](`${name} to ${host}`);
    return `try { ${code.replaceAll("HOST", named).replaceAll("PORT", String(port))} } catch (error) { report("error of ${name}", error.message); }`;
  });
  // Each in a block of its own: they use the same names.
  return { counting, code: (await Promise.all(code)).map((one) => `{ ${one} }`) };
}

/** Plays the page until it is proved, and tells by what Chromium reached out. */
async function play(rig: Rig, site: HostileSite): Promise<readonly string[]> {
  const news = { ...plannedItem(HOSTILE, ITEM_MS), url: site.url("tries") };
  await rig.emulator.next(Array.from({ length: TRIES }, () => ({ news, ad: null })));
  const netLog = join(rig.home, "net-log.json");
  const player = rig.play([INSPECTED, ...netLogTo(netLog), "--config", rig.configure()]);
  const inside = await lookInside(player);
  const proofs = async () => (await rig.emulator.ledger()).slice(0, TRIES).flatMap(({ news }) => news?.pops ?? []);
  await eventually("the page's proof", async () => (await proofs()).at(0), 90_000);
  const reaching = await reachingSoFar(netLog, inside);
  await inside.close();
  expect(await player.stop()).toBe(0);
  return reaching;
}

describe("a creative that wants out, its service on loopback", () => {
  let outcome: Awaited<ReturnType<typeof tryAll>>;
  beforeAll(async () => {
    outcome = await tryAll(NEVER, "127.0.0.1");
  }, 120_000);

  it("tried everything", () => {
    expect(outcome.site.reports.get("all")).toBe("tried");
  });

  it.each(NEVER.flatMap(({ name }) => HOSTS.map((host) => `${name} to ${host}`)))("reaches nobody by %s", (way) => {
    expect(outcome.counts[way]).toBe(0);
  });

  it("has Chromium itself open no connection and look up no name", () => {
    expect(outcome.reaching).toEqual([]);
  });
});

/** What this machine is called by others: whatever kind of address that is, loopback is nearer. */
const OUTWARD = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

describe.skipIf(OUTWARD === undefined)("a creative that wants to reach what is nearer than its service", () => {
  let outcome: Awaited<ReturnType<typeof tryAll>>;
  beforeAll(async () => {
    outcome = await tryAll(NEARER, OUTWARD ?? "");
  }, 120_000);

  it("tried everything", () => {
    expect(outcome.site.reports.get("all")).toBe("tried");
  });

  it.each(NEARER.flatMap(({ name }) => HOSTS.map((host) => `${name} to ${host}`)))("reaches nobody by %s", (way) => {
    expect(outcome.counts[way]).toBe(0);
  });

  it("has Chromium itself open no connection and look up no name", () => {
    expect(outcome.reaching).toEqual([]);
  });
});
