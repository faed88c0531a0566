import { expect, it, onTestFinished } from "vitest";
import { watchOutputs } from "../../../src/main/window/x11-outputs.ts";
import { PART, startWall } from "../../support/display/wall.ts";

const MODE = `${PART.width}x${PART.height}`;

it("an X server tells which of its outputs are on, and where, now and whenever that changes", async () => {
  const wall = await startWall();
  onTestFinished(() => wall.stop());
  const told: unknown[] = [];
  watchOutputs({ DISPLAY: wall.name }, (outputs) => told.push(outputs));
  const both = [
    { name: "DUMMY0", x: 0, y: 0 },
    { name: "DUMMY1", x: PART.width, y: 0 },
  ];
  // Alone it begins where all of the picture does.
  const right = { name: "DUMMY1", x: 0, y: 0 };
  await expect.poll(() => told).toEqual([both]);
  wall.turn(0, null);
  await expect.poll(() => told.at(-1)).toEqual([right]);
  wall.turn(1, null);
  await expect.poll(() => told.at(-1)).toEqual([]);
  wall.turn(1, MODE);
  await expect.poll(() => told.at(-1)).toEqual([right]);
});

it.each([
  ["another machine's X server", "elsewhere:0"],
  ["an X server that lets nobody in", ":4711"],
])("of %s it is not known which are on", async (_, name) => {
  const told: unknown[] = [];
  watchOutputs({ DISPLAY: name }, (outputs) => told.push(outputs));
  await expect.poll(() => told).toEqual([null]);
});
