import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { openCounting } from "../support/machine/counting.ts";
import { INSPECTED, type Inside, lookInside } from "../support/machine/inside.ts";
import { niceValues, processTree } from "../support/machine/proc.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { sandboxedRenderers } from "../support/machine/sandbox.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

/** Of each page that is open: our slate, a page of ours with a clip, and a creative's own page. */
interface Page {
  readonly url: string;
  readonly preferences: Readonly<Record<string, unknown>>;
  readonly policy: string | null;
  /** What its scripts find that is not the web's. */
  readonly powers: readonly string[];
}

const CREATIVE = "news-weather";
/** Long enough to look around meanwhile. */
const ITEM_MS = 120_000;

let rig: Rig;
let player: Running;
let inside: Inside;
let pages: readonly Page[];

beforeAll(async () => {
  const { creatives } = readCatalogue();
  const [page, clip] = [CREATIVE, "news-transit"].map((name) => creatives.find((one) => one.name === name));
  if (page === undefined || clip === undefined) throw new Error("the catalogue has changed");
  rig = await openRig({ width: 640, height: 360 });
  const items = { news: plannedItem(page, ITEM_MS), ad: plannedItem(clip, ITEM_MS) };
  await rig.emulator.next([{ newsFirst: true, ...items }]);
  player = rig.play([INSPECTED, "--config", rig.configure()]);
  inside = await lookInside(player);
  await eventually("the page on air", () =>
    inside.ask<true | undefined>(`${CONTENTS} return creative === null ? undefined : true;`),
  );
  pages = await inside.ask<readonly Page[]>(LOOK_AROUND);
}, 120_000);

afterAll(async () => {
  await inside?.close();
  await rig?.close();
});

const CONTENTS = `
  const all = electron.webContents.getAllWebContents();
  const [window] = electron.BaseWindow.getAllWindows();
  const top = window?.contentView.children.at(-1)?.webContents;
  const creative = top?.getURL().includes("${CREATIVE}") ? top : null;`;

const LOOK_AROUND = `${CONTENTS}
  const policyOf = async (contents) => {
    // Ours by the scheme's handler; a creative's as its own document reports it.
    const answer = await contents.session.fetch(contents.getURL()).catch(() => null);
    return answer?.headers.get("content-security-policy") ?? null;
  };
  return Promise.all(all.map(async (contents) => ({
    url: contents.getURL(),
    preferences: contents.getLastWebPreferences(),
    policy: await policyOf(contents),
    powers: await contents.executeJavaScript(
      '["require", "process", "module", "Buffer", "global", "electron", "__dirname"].filter((name) => name in globalThis)'),
  })));`;

/** Runs in the creative's page on air and resolves with what it returns. */
function inCreative<T>(code: string): Promise<T> {
  return inside.ask<T>(`${CONTENTS} return creative.executeJavaScript(${JSON.stringify(code)});`);
}

const isWeb = ({ url }: Page) => url.startsWith("http");

describe("Electron's security checklist, on the running player", () => {
  it("has pages of every kind to be judged by", () => {
    expect(pages.some(isWeb)).toBe(true);
    expect(pages.some(({ url }) => url.includes("/slate/"))).toBe(true);
  });

  it("1: content is loaded by the player's own schemes, and creatives through its cache alone", async () => {
    for (const { url } of pages) expect(url).toMatch(/^(spotloop:|https?:)/);
    const handled = `${CONTENTS} return ["http", "https"].every((scheme) => creative.session.protocol.isProtocolHandled(scheme));`;
    expect(await inside.ask(handled)).toBe(true);
  });

  it("2: no page has Node's integration, not in workers or frames either", () => {
    for (const { preferences, powers } of pages) {
      expect(preferences).toMatchObject({ nodeIntegration: false });
      expect(preferences.nodeIntegrationInWorker ?? false).toBe(false);
      expect(preferences.nodeIntegrationInSubFrames ?? false).toBe(false);
      expect(powers).toEqual([]);
    }
  });

  it("3: every page has context isolation, and no preload", () => {
    for (const { preferences } of pages) {
      expect(preferences.contextIsolation).toBe(true);
      expect(preferences.preload ?? null).toBe(null);
    }
  });

  it("4: every renderer is sandboxed", async () => {
    for (const { preferences } of pages) expect(preferences.sandbox).toBe(true);
    expect(await sandboxedRenderers(player.pid)).toBeGreaterThan(0);
  });

  it("a page goes behind the player and its clips with every thread, those of workers too", async () => {
    await inCreative('new Promise((resolve) => { new Worker("data:,postMessage(0)").onmessage = () => resolve(0); })');
    const { page, clip } = await inside.ask<Record<"page" | "clip", number>>(`${CONTENTS}
      const clip = all.find((one) => one.getURL().includes("/media/"));
      return { page: creative.getOSProcessId(), clip: clip.getOSProcessId() };`);
    await eventually("all of the page's threads behind", () => Math.min(...niceValues(page)) === 10 || undefined);
    for (const pid of [player.pid, clip]) expect(Math.min(...niceValues(pid))).toBeLessThan(10);
  });

  it.each(["geolocation", "notifications", "midi", "camera", "microphone", "clipboard-read", "persistent-storage"])(
    "5: the permission %s is denied",
    async (name) => {
      const state = `navigator.permissions.query({ name: "${name}" }).then(({ state }) => state, () => "denied")`;
      expect(await inCreative(state)).toBe("denied");
    },
  );

  it("6, 8: web security is on, and insecure content is not let in", () => {
    for (const { preferences } of pages) {
      expect(preferences.webSecurity).toBe(true);
      expect(preferences.allowRunningInsecureContent ?? false).toBe(false);
    }
  });

  it("7: every page has a content security policy", () => {
    for (const page of pages) {
      expect(page.policy).toContain(isWeb(page) ? "sandbox allow-scripts allow-same-origin" : "default-src 'none'");
    }
  });

  it("9, 10: no experimental features are on", () => {
    for (const { preferences } of pages) {
      expect(preferences.experimentalFeatures ?? false).toBe(false);
      expect(preferences.enableBlinkFeatures ?? "").toBe("");
    }
  });

  it("11, 12: there are no webviews", async () => {
    for (const { preferences } of pages) expect(preferences.webviewTag).toBe(false);
    const made =
      'document.body.append(document.createElement("webview")); document.querySelector("webview").constructor.name';
    expect(await inCreative(made)).toBe("HTMLElement");
  });

  it("13: a page stays where it is", async () => {
    const [before] = pages.filter(isWeb);
    await inCreative('location.reload(); "asked"');
    const after = await inside.ask<string>(`${CONTENTS} return creative.getURL();`);
    expect(after).toBe(before?.url);
  });

  it("14: a page opens no window", async () => {
    expect(await inCreative('open("about:blank") === null')).toBe(true);
    expect(await inside.ask("return electron.BaseWindow.getAllWindows().length;")).toBe(1);
  });

  it("15: nothing is handed to other programs", async () => {
    const asked =
      'const f = document.createElement("iframe"); f.src = "mailto:a@b.example"; document.body.append(f); "asked"';
    await inCreative(asked);
    expect(processTree(player.pid).some(({ command }) => command.includes("xdg-open"))).toBe(false);
  });

  it("16: the runtime is the one that the package pins, or said to be a stand-in", async () => {
    const version = await inside.ask<string>("return process.versions.electron;");
    expect(version).toMatch(/^(33\.2\.1|45\.4\.1)$/);
  });

  it("17: there is no channel to the main process, so no sender to be checked", async () => {
    // Electron's own listener for errors is no channel.
    const channels = 'return electron.ipcMain.eventNames().filter((name) => name !== "error");';
    expect(await inside.ask(channels)).toEqual([]);
  });

  it("18: no page comes from a file", async () => {
    for (const { url } of pages) expect(url.startsWith("file:")).toBe(false);
    const tried = 'fetch("file:///etc/passwd").then(() => "read", () => "refused")';
    expect(await inCreative(tried)).toBe("refused");
  });

  it("20: no page is given anything of Electron's", async () => {
    expect(await inCreative("Object.keys(globalThis).filter((key) => /electron|spotloop/i.test(key))")).toEqual([]);
  });
});

describe("the player's own pages", () => {
  it("reach nobody, though one of them were taken over", async () => {
    const counting = openCounting("127.0.0.1");
    onTestFinished(() => counting.close());
    const [web, socket, image] = await Promise.all(["fetch", "ws", "image"].map((name) => counting.tcp(name)));
    const tries = `Promise.allSettled([
      fetch("http://127.0.0.1:${web}/", { mode: "no-cors" }),
      new Promise((resolve, reject) => Object.assign(new WebSocket("ws://127.0.0.1:${socket}/"), { onopen: resolve, onerror: reject })),
      new Promise((resolve, reject) => Object.assign(new Image(), { onload: resolve, onerror: reject, src: "http://127.0.0.1:${image}/" })),
    ]).then((all) => all.map(({ status }) => status))`;
    const asked = `${CONTENTS} return Promise.all(all.filter((one) => one.getURL().startsWith("spotloop:"))
      .map((one) => one.executeJavaScript(${JSON.stringify(tries)})));`;
    const outcomes = await inside.ask<readonly string[][]>(asked);
    expect(outcomes.length).toBeGreaterThan(0);
    for (const outcome of outcomes) expect(outcome).toEqual(["rejected", "rejected", "rejected"]);
    expect(counting.counts()).toEqual({ fetch: 0, ws: 0, image: 0 });
  });
});

describe("sound", () => {
  it("is muted on every deck, the one on air and the one below it", async () => {
    const decks = `${CONTENTS} return all.filter((one) => !one.getURL().includes("/slate/")).map((one) => one.isAudioMuted());`;
    const muted = await eventually("a deck", async () => {
      const now = await inside.ask<readonly boolean[]>(decks);
      return now.length > 0 ? now : undefined;
    });
    expect(muted).not.toContain(false);
  });
});

// 19, the fuses, are read back from a packaged binary: test/scripts/package.test.ts.
