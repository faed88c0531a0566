import { expect, it } from "vitest";
import { oncePerPress } from "../../../src/main/operator/held-keys.ts";

it("keys that are held, and told again and again, are one press; pressed again they are another", () => {
  let [now, presses] = [0, 0];
  const told = oncePerPress(
    () => presses++,
    () => now,
  );
  for (const at of [0, 660, 700, 740, 1_300, 2_100, 2_900]) {
    now = at;
    told();
  }
  expect(presses).toBe(1);
  now = 3_900;
  told();
  expect(presses).toBe(2);
});

it("what the press does may take its time", () => {
  let [now, presses] = [0, 0];
  const told = oncePerPress(
    () => {
      presses++;
      now += 3_000;
    },
    () => now,
  );
  told();
  now += 40;
  told();
  expect(presses).toBe(1);
});
