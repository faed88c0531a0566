import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { startEmulator } from "../../../src/emulator/main.ts";
import { ask, json } from "../running.ts";

it("a network starts out of the README's world, the same each time", async () => {
  const readme = readFileSync(`${import.meta.dirname}/../../../README.md`, "utf8");
  const world = JSON.parse(/<!-- world -->\s+```json\n(.+?)```/s.exec(readme)?.[1] ?? "");

  for (const _ of [1, 2]) {
    const emulator = await startEmulator({ world });
    try {
      expect([emulator.orgToken, emulator.screenId]).toEqual(["org_mine", "screen_wall"]);
      const pending = json(await ask(emulator.controlUrl, "/control/cars?status=pending"));
      expect(pending).toMatchObject([{ car_id: "car_mine", item: { url: "https://cdn.example/mine.png" } }]);
      expect(emulator.clock.reading()).toMatchObject({ mode: "frozen", now: Date.parse("2026-03-02T08:00:00Z") });
    } finally {
      await emulator.close();
    }
  }
});
