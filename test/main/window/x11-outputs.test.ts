import { expect, it, onTestFinished } from "vitest";
import { watchOutputs } from "../../../src/main/window/x11-outputs.ts";
import { PART, startWall } from "../../support/display/wall.ts";

const MODE = `${PART.width}x${PART.height}`;

it("an X server tells whether any of its outputs is on, now and whenever that changes", async () => {
  const wall = await startWall();
  onTestFinished(() => wall.stop());
  const told: boolean[] = [];
  watchOutputs({ DISPLAY: wall.name }, (isShown) => told.push(isShown));
  await expect.poll(() => told).toEqual([true]);
  wall.turn(0, null);
  wall.turn(1, null);
  await expect.poll(() => told).toEqual([true, false]);
  wall.turn(1, MODE);
  await expect.poll(() => told).toEqual([true, false, true]);
});

it.each([
  ["another machine's X server", "elsewhere:0"],
  ["an X server that lets nobody in", ":4711"],
])("%s is taken to have one that is on", async (_, name) => {
  const told: boolean[] = [];
  watchOutputs({ DISPLAY: name }, (isShown) => told.push(isShown));
  await expect.poll(() => told).toEqual([true]);
});
