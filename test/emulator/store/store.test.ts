import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { LATEST_INSTANT, virtualClock } from "../../../src/emulator/clock.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../src/emulator/main.ts";
import type { Network } from "../../../src/emulator/network.ts";
import type { LedgerSpot } from "../../../src/emulator/spot/ledger.ts";
import { openStateFile, readStateFile } from "../../../src/emulator/store/file.ts";
import { changesOf } from "../../../src/emulator/store/persistence.ts";
import type { WorldFile } from "../../../src/emulator/world/schema.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ask, call, json, MONDAY_8, nextSpot, running, smallWorld } from "../running.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** An emulator on a file. */
async function kept(path: string, options: EmulatorOptions = {}): Promise<Emulator> {
  return running({ data: path, ...options });
}

/** What the control API shows, wherever the media listener is. */
async function everything({ controlUrl }: Emulator): Promise<unknown[]> {
  const paths = ["spots", "cars", "locations", "screens", "organizations", "faults", "behaviour", "clock", "audit"];
  return Promise.all(
    paths.map(async (path) => {
      const { body } = await ask(controlUrl, `/control/${path}`);
      return JSON.parse(body.toString("utf8").replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "http://media"));
    }),
  );
}

/** Changes something of every kind. */
async function use(emulator: Emulator): Promise<void> {
  const { baseUrl, controlUrl, clock } = emulator;
  const post = (path: string, body: unknown) => ask(controlUrl, path, { method: "POST", body });
  emulator.next("screen_demo", [{ ad: null }, { news: null }, {}]);
  const spot = await nextSpot(emulator);
  await call(emulator, spot.news.url);
  clock.advance(60_000);
  await call(emulator, spot.news.pop);
  await ask(baseUrl, "/vendor/org_demo/locations", { method: "POST", headers: JSON_TYPE, body: { title: "New" } });
  await post("/control/cars", {});
  await post("/control/organizations", { org_token: "org_new" });
  await post("/control/faults", { name: "odd", match: { route: "none" }, do: { patch: { a: [1, { b: null }] } } });
  await ask(controlUrl, "/control/behaviour", { method: "PATCH", body: { createStatus: 200 } });
}

function spotOf(issuedAt: number, requestId = "r1"): LedgerSpot {
  const screen = { orgToken: "o", screenId: "s" };
  return { requestId, ...screen, issuedAt, newsFirst: true, billable: true, news: null, ad: null };
}

/** A network of which only the spots matter. */
function holding(spots: ReadonlyMap<string, LedgerSpot>): Network {
  const clock = { reading: () => ({ mode: "frozen", now: 0, speed: 1 }) };
  const journal = { kept: () => ({ calls: [], lastId: 0 }) };
  return { state: { ledger: { spots } }, clock, journal } as unknown as Network;
}

describe("a data file", () => {
  it("is told of a spot of another time that has the request id of one before (after a reset, of the same seed)", () => {
    const spots = new Map([["r1", spotOf(MONDAY_8)]]);
    const changes = changesOf(holding(spots));
    const told = () => changes(0).spots.map(([requestId, text]) => [requestId, JSON.parse(text).issuedAt]);
    const first = told();
    const unchanged = told();
    spots.set("r1", spotOf(MONDAY_8 + 1_800_000));

    expect([first, unchanged, told()]).toEqual([[["r1", MONDAY_8]], [], [["r1", MONDAY_8 + 1_800_000]]]);
  });

  it("keeps spots in their order when one is served again after some that had given way (after a reset)", () => {
    const path = join(temporaryFolder(), "state.db");
    const spots = new Map([["r2", spotOf(MONDAY_8, "r2")]]);
    const changes = changesOf(holding(spots));
    const file = openStateFile(path);
    file.write(changes(0));
    spots.clear();
    for (const requestId of ["r1", "r2"]) spots.set(requestId, spotOf(MONDAY_8, requestId));
    file.write(changes(0));
    file.close();

    expect(readStateFile(path)?.spots.map((text) => JSON.parse(text).requestId)).toEqual(["r1", "r2"]);
  });

  it("brings everything back after a restart, and goes on from there", async () => {
    const path = join(temporaryFolder(), "state.db");
    const first = await kept(path);
    await use(first);
    const before = await everything(first);
    const calls = first.calls();
    await first.close();
    const straight = await running();
    await use(straight);

    const second = await kept(path);

    expect(second.calls().slice(0, calls.length)).toEqual(calls.map((one) => expect.objectContaining({ id: one.id })));
    expect(await everything(second)).toEqual(before);
    expect((await nextSpot(second)).requestId).toBe((await nextSpot(straight)).requestId);
  });

  it("keeps a proof that was counted from being counted again", async () => {
    const path = join(temporaryFolder(), "state.db");
    const first = await kept(path);
    const { ad } = await nextSpot(first);
    first.clock.advance(60_000);
    await call(first, ad.pop);
    await first.close();

    const second = await kept(path);
    await call(second, ad.pop);

    expect(second.spots()[0]?.ad?.pops.map(({ verdict }) => verdict)).toEqual(["counted", "duplicate"]);
  });

  it("knows whose the spots are that were written before they said so", async () => {
    const path = join(temporaryFolder(), "state.db");
    const first = await kept(path);
    await nextSpot(first);
    await first.close();
    const database = new BetterSqlite3(path);
    database.exec("update spot set content = json_remove(content, '$.orgToken')");
    database.close();

    expect((await kept(path)).spots()).toMatchObject([{ org_token: "org_demo", screen_id: "screen_demo" }]);
  });

  it("keeps up through many restarts, resets and a cleared journal", async () => {
    const path = join(temporaryFolder(), "state.db");
    const first = await kept(path);
    await nextSpot(first);
    await first.close();
    const second = await kept(path);
    second.reset();
    await nextSpot(second);
    await nextSpot(second);
    await ask(second.controlUrl, "/control/journal", { method: "DELETE" });
    await second.close();
    const third = await kept(path);

    expect(third.spots()).toHaveLength(2);
    expect(third.calls().map(({ id, method }) => [id, method])).toEqual([[1, "DELETE"]]);
  });

  it("lets a clock that ran go on meanwhile, and keeps a frozen one as it was", async () => {
    const [frozen, real] = [join(temporaryFolder(), "a.db"), join(temporaryFolder(), "b.db")];
    const one = await kept(frozen);
    one.clock.advance(5000);
    await one.close();
    const other = await kept(real);
    other.clock.set({ mode: "real", speed: 10 });
    const before = other.clock.now();
    await other.close();

    const readings = [(await kept(frozen)).clock.reading(), (await kept(real)).clock.reading()];

    expect(readings[0]).toEqual({ mode: "frozen", now: MONDAY_8 + 5000, speed: 1 });
    expect(readings[1]).toMatchObject({ mode: "real", speed: 10 });
    expect(readings[1]?.now).toBeGreaterThanOrEqual(before);
  });

  it("names a screen that it has, whatever the world says now", async () => {
    const path = join(temporaryFolder(), "state.db");
    await (await kept(path)).close();

    const emulator = await kept(path, { world: smallWorld() });

    expect([emulator.orgToken, emulator.screenId]).toEqual(["org_demo", "screen_demo"]);
    expect(await nextSpot(emulator, emulator.orgToken, emulator.screenId)).toMatchObject({ billable: true });
    emulator.reset();
    expect([emulator.orgToken, emulator.screenId]).toEqual(["org_a", "screen_a"]);
  });

  it("keeps rate limits and waiting times as the world had them, until a reset", async () => {
    const path = join(temporaryFolder(), "state.db");
    await (await kept(path, { world: smallWorld({ status: "REVIEW" }) })).close();
    const world: WorldFile = {
      ...smallWorld({ status: "REVIEW" }),
      rateLimits: [{ per: "token", calls: 0, seconds: 60 }],
      autoApprove: { locationsMs: 0 },
    };
    const emulator = await kept(path, { world });
    const seen = async () => {
      const [location] = json(await ask(emulator.controlUrl, "/control/locations"));
      const { status } = await ask(emulator.baseUrl, "/v3/vendor/org_a/1/rt_ad/screen_a");
      return [status, location.status];
    };

    const before = await seen();
    emulator.reset();

    expect(emulator.kept).toHaveLength(2);
    expect([before, await seen()]).toEqual([
      [200, "REVIEW"],
      [429, "APPROVED"],
    ]);
  });

  it("lets a clock that ran stop at the end of all time", async () => {
    const path = join(temporaryFolder(), "state.db");
    const first = await kept(path);
    first.clock.set({ mode: "real", now: LATEST_INSTANT, speed: 10_000 });
    await first.close();

    expect((await kept(path)).clock.now()).toBe(LATEST_INSTANT);
  });

  it("goes on with the seed that it was begun with", async () => {
    const path = join(temporaryFolder(), "state.db");
    await (await kept(path, { seed: 42 })).close();

    const emulator = await startEmulator({ data: path, clock: virtualClock() });
    await emulator.close();

    expect(emulator.seed).toBe(42);
  });

  it("is used by one emulator at a time", async () => {
    const path = join(temporaryFolder(), "state.db");
    await kept(path);

    await expect(startEmulator({ data: path })).rejects.toMatchObject({
      name: "StoreError",
      message: "another emulator is using it",
    });
  });

  it("is not kept open by an emulator that could not start", async () => {
    const path = join(temporaryFolder(), "state.db");
    await expect(startEmulator({ data: path, world: { organizations: [] } as never })).rejects.toThrow("not a world");

    await (await kept(path)).close();

    expect(existsSync(path)).toBe(true);
  });
});

/** A good file, changed. */
async function broken(change: (path: string) => void): Promise<string> {
  const path = join(temporaryFolder(), "state.db");
  const emulator = await kept(path);
  await nextSpot(emulator);
  await emulator.close();
  change(path);
  return path;
}

function sql(statement: string) {
  return (path: string) => {
    const database = new BetterSqlite3(path);
    database.exec(statement);
    database.close();
  };
}

describe("a data file that cannot be used", () => {
  it.each<[string, (path: string) => void, string]>([
    ["of a newer version", sql("pragma user_version = 2"), "it is from a newer version (format 2, known up to 1)"],
    ["of something else", sql("pragma application_id = 7"), "it is not a data file of the emulator"],
    [
      "that is no database",
      (path) => writeFileSync(path, "hello, this is text\n".repeat(100)),
      "it is not a data file",
    ],
    ["that is damaged", damage, "it is "],
    ["with broken JSON", sql("update spot set content = '{'"), "what is in it makes no sense"],
    ["with broken dice", sql("update part set content = '{' where name = 'dice'"), "what is in it makes no sense"],
    [
      "with a part of another shape",
      sql("update part set content = '[]' where name = 'inventory'"),
      "inventory is a list",
    ],
  ])("%s is named, and stays as it is", async (_, change, message) => {
    const path = await broken(change);
    const copy = `${path}.copy`;
    copyFileSync(path, copy);

    await expect(startEmulator({ data: path })).rejects.toMatchObject({
      name: "StoreError",
      message: expect.stringContaining(message),
    });
    expect(readFileSync(path).equals(readFileSync(copy))).toBe(true);
    expect(readdirSync(join(path, "..")).filter((name) => name.endsWith("-wal"))).toEqual([]);
  });

  it("in a folder that is not there is named", async () => {
    const path = join(temporaryFolder(), "none", "state.db");

    await expect(startEmulator({ data: path })).rejects.toMatchObject({ name: "StoreError" });
  });
});

function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0xff, 4096, bytes.length);
  writeFileSync(path, bytes);
}
