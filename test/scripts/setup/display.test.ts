import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startDisplay } from "../../../scripts/setup/display.ts";

describe("a virtual display", () => {
  it("takes a free name each time, and is gone when it was stopped", async () => {
    const [one, other] = await Promise.all([startDisplay({ width: 320, height: 240 }), startDisplay()]);
    const socket = (name: string) => `/tmp/.X11-unix/X${name.slice(1)}`;
    expect(one.name).not.toBe(other.name);
    expect(one).toMatchObject({ width: 320, height: 240 });
    expect(existsSync(socket(one.name))).toBe(true);
    await Promise.all([one.stop(), other.stop()]);
    expect(existsSync(socket(one.name))).toBe(false);
  });
});
