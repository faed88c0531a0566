import { describe, expect, it } from "vitest";
import { outputOf } from "../../../scripts/setup/build.ts";

describe("the build", () => {
  it.each([
    ["src/core/spot.ts", "core/spot.ts"],
    ["src/emulator/dashboard/page.html", "emulator/dashboard/page.html"],
    ["renderer/slate/slate.css", "renderer/slate/slate.css"],
  ])("puts what is made of %s at dist/%s", (source, output) => {
    expect(outputOf(source)).toBe(output);
  });
});
