import { request } from "node:http";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type HealthParts, LOOKED_WITHIN_MS, startHealth } from "../../../src/player/health/health.ts";
import { type HealthReport, type ScreenHealth, sumOf } from "../../../src/player/health/health-report.ts";
import { createMetrics } from "../../../src/player/health/metrics.ts";

const report: HealthReport = {
  status: "ok",
  onAir: {
    kind: "ad",
    id: "ad-1",
    title: '<b>Tea & "biscuits"</b>',
    durationMs: 6_000,
    since: "2026-10-21T07:28:00.000Z",
  },
  next: null,
  displayTrouble: null,
  panel: { state: "unknown", by: [] },
  network: "ok",
  record: { rows: 12, unwritten: 0, signedAt: null, trouble: null },
  proofs: {
    ...{ owed: 1, delivered: 20, refused: 1, expired: 0, oldestDeadline: "2026-10-21T08:28:00.000Z" },
    lastRefused: { at: "2026-10-20T17:05:09.250Z", screenId: "lobby", itemId: "ad-7", kind: "ad", status: 410 },
  },
  today: {
    ...{ slots: 12, fills: 11, shown: { news: 10, ad: 9 }, failed: { stalled: 2 } },
    proofs: { owed: 2, delivered: 17, refused: 0, expired: 0 },
    delayMs: { p50: 40, p95: 900, p99: 1_200, max: 2_000 },
  },
  cache: { files: 12, bytes: 34_000_000, maxBytes: 8 * 1024 ** 3 },
  data: { month: "2026-10", usedBytes: 3 * 1024 ** 3, monthlyBytes: 4 * 1024 ** 3, refused: 2 },
  versions: { spotloop: "0.1.0", electron: "45.4.1" },
  upgrade: null,
  restarts: 0,
  recovery: { rendering: "hardware", softwareUntil: null, safeMode: false, restartsInARow: 0, lastTrouble: null },
  remote: { broker: null, shown: null, messageSince: null, displays: "on" },
  clock: { wall: "2026-10-21T07:28:03.000Z", offsetMs: -250, uncertaintyMs: 40, bootId: "boot-1" },
  lastError: null,
};

async function started(changes: Partial<HealthParts> = {}) {
  const parts = { port: 0, report: () => report, metrics: createMetrics(), screenshot: async () => null, ...changes };
  const health = await startHealth(parts);
  if (health.kind !== "listening") throw new Error(health.code);
  onTestFinished(() => health.close());
  return health;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** Asks as any program on this machine could, without what `fetch` forbids to set. */
function ask(port: number, path: string, { method = "GET", headers = {} }: Asked = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
    });
    asked.on("error", reject);
    asked.end();
  });
}

describe("the health of several screens", () => {
  const screen = (screenId: string, changes: Partial<ScreenHealth>) => ({
    ...({ screenId, status: "ok", onAir: "house", next: null, lastError: null } as const),
    ...{ displayTrouble: null, panel: { state: "unknown" as const, by: [] } },
    ...changes,
  });

  it.each([
    ["ok", "starting", "starting"],
    ["starting", "failing", "failing"],
    ["failing", "ok", "failing"],
    ["ok", "ok", "ok"],
  ] as const)("is the worst of %s and %s", (one, other, worst) => {
    expect(sumOf([screen("a", { status: one }), screen("b", { status: other })]).status).toBe(worst);
  });

  it("is told as it always was where there is only one", () => {
    const { screenId: _, ...told } = screen("a", { lastError: "x" });
    expect(sumOf([screen("a", { lastError: "x" })])).toEqual(told);
  });

  it("has the first error of them, and what is wrong with the first display", () => {
    const { lastError, displayTrouble } = sumOf([
      screen("a", {}),
      screen("b", { lastError: "x", displayTrouble: "y" }),
    ]);
    expect([lastError, displayTrouble]).toEqual(["x", "y"]);
  });
});

describe("health", () => {
  it("tells the report, and that it must not be kept", async () => {
    const { port } = await started();
    const { status, headers, body } = await ask(port, "/health?now");
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toEqual(report);
    expect(headers).toMatchObject({ "content-type": "application/json", "cache-control": "no-store" });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });

  it.each([
    ["ok", 200],
    ["starting", 200],
    ["failing", 503],
  ] as const)("answers %s with %i", async (status, code) => {
    const { port } = await started({ report: () => ({ ...report, status }) });
    expect((await ask(port, "/health")).status).toBe(code);
  });

  it("tells the metrics", async () => {
    const { port } = await started();
    const { headers, body } = await ask(port, "/metrics");
    expect(headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body.toString()).toContain("spotloop_items_shown_total");
  });

  it("shows what is on screen, or says that nothing is, and looks once however many ask", async () => {
    let looks = 0;
    let picture: Buffer | null = Buffer.from([0xff, 0xd8, 0xff]);
    const { port } = await started({
      screenshot: async () => {
        looks++;
        await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
        return picture;
      },
    });
    const answers = await Promise.all([ask(port, "/screenshot.jpg"), ask(port, "/screenshot.jpg")]);
    expect(answers.map(({ status, body }) => [status, body.length])).toEqual([
      [200, 3],
      [200, 3],
    ]);
    expect(looks).toBeLessThanOrEqual(2);
    picture = null;
    expect((await ask(port, "/screenshot.jpg")).status).toBe(503);
  });

  it("looks again where a look at the screen never ends", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const looks = [new Promise<never>(() => {}), Promise.resolve(Buffer.from("jpeg"))];
    const begun = Promise.withResolvers<void>();
    const { port } = await started({
      screenshot: async () => {
        begun.resolve();
        return (await looks.shift()) ?? null;
      },
    });
    const first = ask(port, "/screenshot.jpg");
    await begun.promise;
    await vi.advanceTimersByTimeAsync(LOOKED_WITHIN_MS);
    expect((await first).status).toBe(500);
    expect((await ask(port, "/screenshot.jpg")).status).toBe(200);
  });

  it("tells of each of several screens, and shows the one that is asked for", async () => {
    const { status, onAir, next, lastError, displayTrouble, panel } = report;
    const each = { status, onAir, next, lastError, displayTrouble, panel };
    const screens = ["hall", "a&b"].map((screenId) => ({ screenId, ...each }));
    const { port } = await started({
      report: () => ({ ...report, screens }),
      screenshot: async (screenId) => Buffer.from(`picture of ${screenId}`),
    });
    const shown = async (path: string) => {
      const answer = await ask(port, path);
      return [answer.status, answer.body.toString()];
    };
    expect(await shown("/screenshot.jpg")).toEqual([200, "picture of null"]);
    expect(await shown("/screenshot.jpg?screen=a%26b")).toEqual([200, "picture of a&b"]);
    expect(await shown("/screenshot.jpg?screen=attic")).toEqual([404, "no such screen\n"]);
    const [, page] = await shown("/");
    expect(page).toContain('<img src="/screenshot.jpg?screen=a%26b" alt="What is on a&amp;b">');
    expect(page).toContain("<dt>hall</dt>");
  });

  it("has a page for people that takes in nothing and leads nowhere else", async () => {
    const { port } = await started();
    const { headers, body } = await ask(port, "/");
    const page = body.toString();
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self';/,
    );
    expect(page).toContain("&lt;b&gt;Tea &amp; &quot;biscuits&quot;&lt;/b&gt;");
    expect(page).toContain("1 owed, 20 delivered");
    expect(page).toContain("12 rows, not signed yet");
    expect(page).toContain("<dd>2026-10-20 17:05:09 UTC: ad ad-7 on lobby, answered HTTP 410</dd>");
    expect(page).toContain("2026-10-21T07:28:03.000Z, the service&#39;s is 0.250 s behind, give or take 0.040 s");
    expect(page).not.toMatch(/<script|https?:/);
  });

  it.each([
    ["closed", "Nothing: the location is closed"],
    ["off", "Nothing: the operator has switched the display off"],
    ["ok", "Nothing: nobody can see this screen"],
  ] as const)("has it say why nothing is on air on a screen that is %s", async (status, why) => {
    const { port } = await started({ report: () => ({ ...report, status, onAir: "nothing" }) });
    expect((await ask(port, "/")).body.toString()).toContain(`<dt>On air</dt><dd>${why}</dd>`);
  });

  it("answers HEAD without a body, and no other method at all", async () => {
    const { port } = await started();
    const head = await ask(port, "/health", { method: "HEAD" });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(Number(head.headers["content-length"])).toBeGreaterThan(100);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      expect(await ask(port, "/health", { method })).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
    }
  });

  it("knows nothing else", async () => {
    const { port } = await started();
    for (const path of ["/config", "/../health", "/health/", "/constructor", "/%2e%2e/etc/passwd"]) {
      expect((await ask(port, path)).status).toBe(404);
    }
  });

  it("answers to this machine's names with its port, and to no other", async () => {
    const { port } = await started();
    const status = async (host: string) => (await ask(port, "/health", { headers: { host } })).status;
    for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      expect(await status(host)).toBe(200);
    }
    for (const host of ["localhost", `evil.example:${port}`, `localhost:${port}.evil.example`, "localhost:1"]) {
      expect(await status(host)).toBe(403);
    }
  });

  it("answers to its names alone on port 80, which no browser sends", async (context) => {
    const parts = { report: () => report, metrics: createMetrics(), screenshot: async () => null };
    const health = await startHealth({ port: 80, ...parts });
    if (health.kind !== "listening") return context.skip();
    onTestFinished(() => health.close());
    const status = async (host: string) => (await ask(80, "/health", { headers: { host } })).status;
    for (const host of ["localhost", "127.0.0.1", "[::1]", "localhost:80"]) expect(await status(host)).toBe(200);
    for (const host of ["evil.example", "localhost:1"]) expect(await status(host)).toBe(403);
  });

  it("says so, and nothing of the reason, when the report cannot be made", async () => {
    const { port } = await started({
      report: () => {
        throw new Error("secret");
      },
    });
    const { status, body } = await ask(port, "/health");
    expect(status).toBe(500);
    expect(body.toString()).not.toContain("secret");
  });

  it("tells a port that is taken, instead of failing", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const health = await startHealth({
      port,
      report: () => report,
      metrics: createMetrics(),
      screenshot: async () => null,
    });
    expect(health).toEqual({ kind: "unavailable", port, code: "EADDRINUSE" });
  });

  it("cannot be reached but over loopback", async () => {
    const { port } = await started();
    const foreign = createServer();
    const listening = new Promise((resolve, reject) => {
      foreign.once("error", reject);
      foreign.listen(port, "127.0.0.2", () => resolve("free"));
    });
    onTestFinished(() => void foreign.close());
    expect(await listening).toBe("free");
  });

  it("closes while somebody is connected", async () => {
    const health = await started();
    await ask(health.port, "/health");
    await health.close();
    await expect(ask(health.port, "/health")).rejects.toThrow("ECONNREFUSED");
  });
});
