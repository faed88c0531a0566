import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { startEmulator } from "../../../src/emulator/main.ts";
import { worldSchema } from "../../../src/emulator/world/schema.ts";
import { differences, EXAMPLE_WORLD, parseWorld, worldJsonSchema } from "../../../src/emulator/world/world-file.ts";
import { ask, json, running } from "../running.ts";

function contentOf(text: string) {
  const parsed = parseWorld(text);
  if (parsed.kind === "broken") throw new Error(`line ${parsed.line}: ${parsed.problem}`);
  // biome-ignore lint/suspicious/noExplicitAny: whatever the text says
  return parsed.content as any;
}

describe("the example of a world", () => {
  it("can be started as it is, and says everything that a world can say", async () => {
    const world = contentOf(EXAMPLE_WORLD);

    expect(Object.keys(world).toSorted()).toEqual(Object.keys(worldSchema.shape).toSorted());
    expect(await running({ world })).toMatchObject({ orgToken: "org_mine", screenId: "screen_wall" });
  });
});

describe("the text of a world", () => {
  it.each([
    ['{\n  "a": 1 // one\n  /* two */,\n}', { kind: "content", content: { a: 1 } }],
    ['{\n  "a": \n}', { kind: "broken", line: 3, column: 1, problem: "value expected" }],
    ["", { kind: "broken", line: 1, column: 1, problem: "value expected" }],
  ])("%j is %j", (text, parsed) => {
    expect(parseWorld(text)).toEqual(parsed);
  });
});

describe("the JSON Schema of a world", () => {
  it("knows the rules for faults, of which a world may have presets too", () => {
    const { properties } = worldJsonSchema() as {
      properties: Record<string, { items?: object; description?: string }>;
    };
    const told = JSON.stringify(properties.faults?.items);

    expect(told).toContain('"flaky-lte"');
    expect(told).toContain('"bytesPerSecond"');
    expect(Object.entries(properties).filter(([, { description }]) => !description)).toEqual([
      ["$schema", expect.anything()],
    ]);
  });

  it("takes a preset with its length, as the emulator does", () => {
    const world = { ...contentOf(EXAMPLE_WORLD), faults: ["offline", { preset: "offline", forSeconds: 60 }] };
    const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(worldJsonSchema());

    expect([fits(world), fits.errors]).toEqual([true, null]);
    expect(fits({ ...world, faults: [{ preset: "online" }] })).toBe(false);
  });
});

const SPOT = "/v3/vendor/org_mine/1/rt_ad/screen_wall";

it("a network starts and answers out of the docs' world, the same each time", async () => {
  const page = readFileSync(`${import.meta.dirname}/../../../docs/emulator.md`, "utf8");
  const world = JSON.parse(/<!-- world -->\s+```json\n(.+?)```/s.exec(page)?.[1] ?? "");

  for (const _ of [1, 2]) {
    const emulator = await startEmulator({ world });
    try {
      expect([emulator.orgToken, emulator.screenId]).toEqual(["org_mine", "screen_wall"]);
      const pending = json(await ask(emulator.controlUrl, "/control/cars?status=pending"));
      expect(pending).toMatchObject([{ car_id: "car_mine", item: { url: "https://cdn.example/mine.png" } }]);
      expect(emulator.clock.reading()).toMatchObject({ mode: "frozen", now: Date.parse("2026-03-02T08:00:00Z") });
      const spots = [await ask(emulator.baseUrl, SPOT), await ask(emulator.baseUrl, SPOT)];
      expect(spots.map(({ status }) => status)).toEqual([502, 200]);
    } finally {
      await emulator.close();
    }
  }
});

describe("what differs between two worlds", () => {
  it("is nothing where they say the same", () => {
    expect(differences({ a: [1, { name: "x" }] }, { a: [1, { name: "x" }] })).toEqual([]);
  });

  it("is told by names rather than by places", () => {
    const before = { organizations: [{ org_token: "o", screens: [{ screen_id: "a", width: 1 }, { screen_id: "b" }] }] };
    const after = { organizations: [{ org_token: "o", screens: [{ screen_id: "c" }, { screen_id: "a", width: 2 }] }] };

    expect(differences(before, after)).toEqual([
      "organizations[o].screens[a].width: 1 is 2 now",
      "organizations[o].screens[b] is gone",
      "organizations[o].screens[c] is new",
    ]);
  });

  it.each([
    [
      { news: [{ creative: "a" }, { creative: "b" }] },
      { news: [{ creative: "b" }, { creative: "a" }] },
      "news has another order",
    ],
    [{ faults: ["x", "x"] }, { faults: ["x"] }, "faults[1] is gone"],
    [{ clock: { now: 1 } }, { clock: null }, 'clock: {"now":1} is null now'],
    [{ a: [] }, { a: {} }, "a: [] is {} now"],
  ])("from %j to %j is %s", (before, after, told) => {
    expect(differences(before, after)).toEqual([told]);
  });
});
