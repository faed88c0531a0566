import { expect, it } from "vitest";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { runChaos } from "./run.ts";

it("a player that is killed again and again loses no proof, makes none up and cues no broken file", async () => {
  const { signal } = new AbortController();
  const result = await runChaos({ kills: 8, seed: 11, folder: temporaryFolder(), signal, progress: () => {} });
  expect(result.violations).toEqual([]);
  expect(result.shown).toBeGreaterThan(0);
  expect(result.proved).toBeGreaterThanOrEqual(result.shown);
}, 90_000);
