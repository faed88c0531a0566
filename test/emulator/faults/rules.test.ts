import { describe, expect, it } from "vitest";
import { type FaultFile, presetNames, presets } from "../../../src/emulator/faults/schema.ts";
import { startEmulator } from "../../../src/emulator/main.ts";
import { ask, call, json, nextSpot, running, smallWorld } from "../running.ts";

const SPOT = "/v3/vendor/org_a/1/rt_ad/screen_a";

async function withFaults(...faults: FaultFile[]) {
  const emulator = await running({ world: { ...smallWorld(), faults } });
  const statuses = async (count: number) => {
    const seen: number[] = [];
    for (let turn = 0; turn < count; turn += 1) seen.push((await ask(emulator.baseUrl, SPOT)).status);
    return seen;
  };
  const faultsNow = async () => json(await ask(emulator.controlUrl, "/control/faults"));
  return { emulator, statuses, faultsNow };
}

describe("the rules for faults", () => {
  it("let the first that matches win", async () => {
    const { statuses, faultsNow } = await withFaults({ do: { status: 500 } }, { do: { status: 501 } });

    expect(await statuses(2)).toEqual([500, 500]);
    expect((await faultsNow()).map(({ matched }: { matched: number }) => matched)).toEqual([2, 0]);
  });

  it("count skip and times, and ask the next rule before and after", async () => {
    const first = { name: "first", skip: 1, times: 2, do: { status: 500 } };
    const { statuses, faultsNow } = await withFaults(first, { name: "second", skip: 1, do: { status: 501 } });

    expect(await statuses(5)).toEqual([200, 500, 500, 501, 501]);
    expect(await faultsNow()).toMatchObject([
      { name: "first", matched: 5, applied: 2 },
      { name: "second", matched: 3, applied: 2 },
    ]);
  });

  it("end by themselves after forSeconds of the network's time, and are told until then", async () => {
    const { emulator, statuses, faultsNow } = await withFaults();
    emulator.setFaults([{ name: "a minute", forSeconds: 60, do: { status: 500 } }]);
    emulator.clock.advance(59_999);

    expect(await statuses(1)).toEqual([500]);
    expect(await faultsNow()).toMatchObject([{ name: "a minute", forSeconds: 60, until: "2026-03-02T08:01:00.000Z" }]);
    emulator.clock.advance(1);
    expect(await statuses(1)).toEqual([200]);
    expect(await faultsNow()).toEqual([]);
  });

  it("toss the same coin for the same seed", async () => {
    const rule = { probability: 0.5, do: { status: 500 } };
    const [one, other] = [await withFaults(rule), await withFaults(rule)];

    const seen = await one.statuses(40);

    expect(await other.statuses(40)).toEqual(seen);
    expect(new Set(seen)).toEqual(new Set([200, 500]));
  });

  it.each<[string, FaultFile["match"], readonly string[]]>([
    ["surface service", { surface: "service" }, ["spot", "locations"]],
    ["surface media", { surface: "media" }, ["news media", "ad media", "news pop", "ad pop"]],
    ["route spot", { route: "spot" }, ["spot"]],
    ["route pop", { route: "pop" }, ["news pop", "ad pop"]],
    ["screen", { screen_id: "screen_a" }, ["spot", "news media", "ad media", "news pop", "ad pop"]],
    ["another screen", { screen_id: "screen_b" }, []],
    ["kind ad", { kind: "ad" }, ["ad media", "ad pop"]],
    ["kind news on pops", { kind: "news", route: "pop" }, ["news pop"]],
    ["type", { mimeType: "video/mp4" }, ["ad media", "ad pop"]],
    ["types", { mimeType: "image/*" }, ["news media", "news pop"]],
  ])("match by %s", async (_, match, expected) => {
    const { emulator } = await withFaults();
    emulator.next("screen_a", [{ news: "news-culture", ad: "ad-coffee" }]);
    const spot = await nextSpot(emulator, "org_a", "screen_a");
    await ask(emulator.controlUrl, "/control/faults", { method: "PUT", body: [{ match, do: { status: 418 } }] });

    const asked: [string, () => Promise<{ status: number }>][] = [
      ["spot", () => ask(emulator.baseUrl, SPOT)],
      ["locations", () => ask(emulator.baseUrl, "/vendor/org_a/locations", { method: "POST", body: {} })],
      ["news media", () => call(emulator, spot.news.url)],
      ["ad media", () => call(emulator, spot.ad.url)],
      ["news pop", () => call(emulator, spot.news.pop)],
      ["ad pop", () => call(emulator, spot.ad.pop)],
    ];
    const struck: string[] = [];
    for (const [name, once] of asked) if ((await once()).status === 418) struck.push(name);

    expect(struck).toEqual(expected);
  });

  it("are replaced by PUT, added to by POST, and removed by name or altogether by DELETE", async () => {
    const { emulator } = await withFaults({ name: "a", do: { empty: true } });
    const faults = async (method: string, body?: unknown, query = "") => {
      const reply = await ask(emulator.controlUrl, `/control/faults${query}`, { method, body });
      return [reply.status, json(reply).map(({ name }: { name: string }) => name)];
    };

    expect(await faults("PUT", [{ name: "b", do: { empty: true } }, "offline"])).toEqual([200, ["b", "offline"]]);
    expect(await faults("POST", { name: "c", do: { hang: true } })).toEqual([201, ["b", "offline", "c"]]);
    expect(await faults("POST", { preset: "maintenance" })).toEqual([201, ["b", "offline", "c", "maintenance"]]);
    expect(await faults("DELETE", undefined, "?name=b")).toEqual([200, ["offline", "c", "maintenance"]]);
    expect(await faults("DELETE")).toEqual([200, []]);
  });

  it("are called by what they strike and do where they have no name, so that one can be removed alone", async () => {
    const { emulator } = await withFaults();
    const rules = [
      { match: { route: "spot", screen_id: "screen_a" }, do: { status: 503, retryAfter: 5 } },
      { match: { route: "spot", screen_id: "screen_b" }, do: { status: 503, retryAfter: 5 } },
      { do: { empty: true } },
    ];
    const names = async (method: string, query = "", body?: unknown) =>
      json(await ask(emulator.controlUrl, `/control/faults${query}`, { method, body })).map(
        ({ name }: { name: string }) => name,
      );

    const [first, ...others] = await names("PUT", "", rules);
    expect([first, ...others]).toEqual([
      ...["spot screen_a: status 503, retryAfter 5", "spot screen_b: status 503, retryAfter 5", "all: empty"],
    ]);
    expect(await names("DELETE", `?name=${encodeURIComponent(first)}`)).toEqual(others);
  });

  it("come back with a reset, their counters at 0", async () => {
    const { emulator, statuses, faultsNow } = await withFaults({ name: "a", times: 1, do: { status: 500 } });
    await statuses(1);
    await ask(emulator.controlUrl, "/control/reset", { method: "POST" });

    expect(await faultsNow()).toMatchObject([{ name: "a", matched: 0, applied: 0 }]);
    expect(await statuses(1)).toEqual([500]);
  });

  it.each([
    [[{ do: {} }], "[0].do", "says nothing to do"],
    [[{ do: { empty: true }, tims: 1 }], "[0]", 'Unrecognized key: "tims" (did you mean "times"?)'],
    [[{ probabilty: 1, do: { empty: true } }], "[0]", expect.stringContaining('did you mean "probability"?')],
    [[{ do: { statuz: 500 } }], "[0].do", expect.stringContaining('did you mean "status"?')],
    [[{ match: { elsewhere: 1 }, do: {} }], "[0].match", expect.stringMatching(/; known are surface, route, /)],
    [["off-line"], "[0]", `must be one of ${presetNames.join(", ")}; did you mean "offline"?`],
    [[{ do: { latencyMs: { min: 2, max: 1 } } }], "[0].do.latencyMs", "min is above max"],
    [[{ do: { headers: { "x-a": "b\r\nc: d" } } }], "[0].do.headers.x-a", "must be printable ASCII"],
    [[{ do: { body: "x" } }], "[0].do", "a body needs a status"],
    [
      [{ match: { route: "spots" }, do: { empty: true } }],
      "[0].match.route",
      expect.stringMatching(/^must be one of spot,.*; did you mean "spot"\?$/),
    ],
  ])("refuse %j whole, saying where", async (faults, field, message) => {
    const { emulator, faultsNow } = await withFaults({ name: "stays", do: { empty: true } });

    const reply = await ask(emulator.controlUrl, "/control/faults", { method: "PUT", body: faults });

    expect(reply.status).toBe(400);
    expect(json(reply).errors).toContainEqual({ field, message });
    expect(await faultsNow()).toMatchObject([{ name: "stays" }]);
  });

  it("are read from a world, mistakes with their paths", async () => {
    const faults = ["offline", { do: {} }] as const;

    await expect(startEmulator({ world: { ...smallWorld(), faults: [...faults] } })).rejects.toMatchObject({
      name: "WorldError",
      problems: [{ path: "faults[1].do", message: "says nothing to do" }],
    });
  });

  it.each(presetNames)("have the preset %s", async (preset) => {
    const { emulator } = await withFaults();

    const reply = await ask(emulator.controlUrl, "/control/faults", { method: "PUT", body: [preset] });

    expect(reply.status).toBe(200);
    expect(json(reply)).toMatchObject(presets[preset].map((rule) => ({ ...rule, matched: 0, applied: 0 })));
  });
});
