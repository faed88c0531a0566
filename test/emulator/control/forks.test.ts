import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MOST_FORKS, newForks } from "../../../src/emulator/control/snapshots-and-forks.ts";
import type { Emulator } from "../../../src/emulator/main.ts";
import { demoWorld } from "../../../src/emulator/world/demo.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { inside } from "../inside.ts";
import { ask, call, json, nextSpot, pathIn, running, smallWorld } from "../running.ts";

const JSON_TYPE = { "content-type": "application/json" };

interface Opened {
  readonly id: string;
  readonly path: string;
  readonly baseUrl: string;
  readonly controlUrl: string;
}

async function opened({ controlUrl }: Emulator): Promise<Opened> {
  const reply = await ask(controlUrl, "/control/forks", { method: "POST" });
  expect(reply.status).toBe(201);
  return json(reply);
}

/** What a GET below a fork's path answers. */
async function below(origin: string, fork: Opened, path: string) {
  return json(await ask(origin, fork.path + path));
}

describe("a fork of the network", () => {
  it("begins as the network is: what it owns, its switches, its faults and its time", async () => {
    const emulator = await running();
    await ask(emulator.baseUrl, "/vendor/org_demo/locations", {
      ...{ method: "POST", headers: JSON_TYPE, body: { location_id: "loc_new", title: "New" } },
    });
    await ask(emulator.controlUrl, "/control/behaviour", { method: "PATCH", body: { createStatus: 200 } });
    emulator.setFaults([{ name: "down", match: { route: "pop" }, do: { status: 503 } }]);
    emulator.clock.advance(5000);
    const fork = await opened(emulator);

    for (const path of ["locations", "screens", "cars", "behaviour", "faults", "clock"]) {
      const there = await below(emulator.controlUrl, fork, `/control/${path}`);
      const here = json(await ask(emulator.controlUrl, `/control/${path}`));
      expect(JSON.stringify(there).replaceAll(fork.path, "")).toBe(JSON.stringify(here));
    }
  });

  it("has a clock, a ledger and an inventory of its own, of which the network notices nothing", async () => {
    const emulator = await running();
    const fork = await opened(emulator);
    const spot = json(await ask(emulator.baseUrl, `${fork.path}/v3/vendor/org_demo/1/rt_ad/screen_demo`)).data;
    const created = await ask(emulator.baseUrl, `${fork.path}/vendor/org_demo/locations`, {
      ...{ method: "POST", headers: JSON_TYPE, body: { location_id: "loc_fork", title: "Fork" } },
    });
    await ask(emulator.controlUrl, `${fork.path}/control/clock/advance`, { method: "POST", body: { ms: 60_000 } });
    const media = await call(emulator, spot.news.url);
    const pops = [
      await call(emulator, spot.news.pop),
      await call(emulator, pathIn(spot.news.pop).slice(fork.path.length)),
    ];

    expect(created.headers.location).toBe(`${fork.path}/vendor/org_demo/locations/loc_fork`);
    expect([media.status, ...pops.map(({ status }) => status)]).toEqual([200, 200, 404]);
    expect(await below(emulator.controlUrl, fork, "/control/spots")).toMatchObject([
      { news: { media: [{ complete: true }], pops: [{ at: "2026-03-02T08:01:00.000Z", verdict: "counted" }] } },
    ]);
    expect(emulator.spots()).toEqual([]);
    expect(emulator.clock.now()).toBe(Date.parse("2026-03-02T08:00:00.000Z"));
    expect((await ask(emulator.baseUrl, "/vendor/org_demo/locations/loc_fork")).status).toBe(404);
  });

  it("has the media of an item with a relative URL below its own path, with a slash in front or without", async () => {
    const emulator = await running();
    const fork = await opened(emulator);
    const item = { id: "a", title: "A", mimeType: "image/png", width: 960, height: 720, duration: 5000 };
    const spots = ["/creatives/ad-bakery.png", "creatives/ad-bakery.png"].map((url) => ({ ad: { ...item, url } }));
    await ask(emulator.controlUrl, `${fork.path}/control/screens/screen_demo/next`, {
      method: "POST",
      body: { spots },
    });
    const url = `${emulator.mediaUrl}${fork.path}/creatives/ad-bakery.png`;

    for (const _ of spots) {
      const { data } = json(await ask(emulator.baseUrl, `${fork.path}/v3/vendor/org_demo/1/rt_ad/screen_demo`));
      expect(data.ad.url).toBe(url);
    }
    expect((await call(emulator, url)).status).toBe(200);
  });

  it("has loops of redirects of its own", async () => {
    const emulator = await running();
    const fork = await opened(emulator);
    const path = `${fork.path}/v3/vendor/org_demo/1/rt_ad/screen_demo`;
    await ask(emulator.controlUrl, `${fork.path}/control/faults`, {
      ...{ method: "PUT", headers: JSON_TYPE, body: [{ match: { route: "spot" }, do: { redirect: "loop" } }] },
    });

    expect((await ask(emulator.baseUrl, path)).headers.location).toBe(path);
  });

  it("notices nothing of what happens to the network", async () => {
    const emulator = await running();
    const fork = await opened(emulator);
    await nextSpot(emulator);
    emulator.reset();
    emulator.clock.advance(1000);

    expect(await below(emulator.controlUrl, fork, "/control/spots")).toEqual([]);
    expect(await below(emulator.controlUrl, fork, "/control/clock")).toMatchObject({ now: "2026-03-02T08:00:00.000Z" });
  });

  it("is gone when it is closed, on every listener", async () => {
    const emulator = await running();
    const fork = await opened(emulator);
    await opened(emulator);
    const closed = await ask(emulator.controlUrl, `/control/forks/${fork.id}`, { method: "DELETE" });
    const again = await ask(emulator.controlUrl, `/control/forks/${fork.id}`, { method: "DELETE" });

    expect([closed.status, again.status]).toEqual([200, 404]);
    for (const origin of [emulator.baseUrl, emulator.mediaUrl, emulator.controlUrl]) {
      expect((await ask(origin, `${fork.path}/control/health`)).status).toBe(404);
    }
    expect(json(await ask(emulator.controlUrl, "/control/forks"))).toMatchObject([{ id: "f2" }]);
  });

  it("has the rate limits that a network from a data file goes on with, whatever the world says now", async () => {
    const data = join(temporaryFolder(), "state.db");
    const limited = { ...smallWorld(), rateLimits: [{ per: "token" as const, calls: 0, seconds: 60 }] };
    await (await running({ data, world: limited })).close();
    const emulator = await running({ data, world: smallWorld() });
    const fork = await opened(emulator);

    const spot = "/v3/vendor/org_a/1/rt_ad/screen_a";
    const statuses = [await ask(emulator.baseUrl, spot), await ask(emulator.baseUrl, fork.path + spot)];

    expect(statuses.map(({ status }) => status)).toEqual([429, 429]);
  });

  it("has no forks and no dashboard itself", async () => {
    const emulator = await running();
    const fork = await opened(emulator);

    expect((await ask(emulator.controlUrl, `${fork.path}/control/forks`)).status).toBe(404);
    expect((await ask(emulator.controlUrl, `${fork.path}/`)).status).toBe(404);
    const { dashboard, calls } = await below(emulator.controlUrl, fork, "/control");
    const { paths } = await below(emulator.controlUrl, fork, "/control/openapi.json");
    expect([dashboard, calls.filter(({ call: one }: { call: string }) => one.includes("/forks"))]).toEqual([
      undefined,
      [],
    ]);
    expect(Object.keys(paths).filter((path) => path.includes("/forks"))).toEqual([]);
    expect(paths).toHaveProperty(["/control/spots"]);
  });
});

describe("forks", () => {
  it("are a stated number at most, and one that nobody has called for ten minutes gives way", () => {
    let wall = 0;
    const served = new Set<string>();
    const forks = newForks(
      inside(demoWorld()).network,
      ({ id }) => {
        served.add(id);
        return () => served.delete(id);
      },
      () => wall,
    );
    for (let count = 0; count < MOST_FORKS; count += 1) forks.open();

    expect(forks.open()).toBeNull();
    wall += 600_001;
    expect(forks.open()?.id).toBe(`f${MOST_FORKS + 1}`);
    expect([...served]).toEqual([`f${MOST_FORKS + 1}`]);
  });
});
