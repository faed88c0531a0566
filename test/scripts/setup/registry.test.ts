import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { check } from "../../../scripts/setup/registry.ts";
import { Stop } from "../../../scripts/setup/stop.mjs";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const hello = {
  name: "hello",
  version: "1.0.0",
  sizeBytes: 5,
  integrity: "sha512-m3HSJL1i83hdltRq0+o9czGb+8KJDKra4t/3JRlnPKcjI8PZm6XBHXx6zG4UuMXaDEZjR1wuXDre9G9zvN7AQw==",
};

describe("a fetched package", () => {
  it("is taken when it is the pinned one", async () => {
    const file = join(temporaryFolder(), "hello.tgz");
    writeFileSync(file, "hello");
    await check(file, hello);
    expect(existsSync(file)).toBe(true);
  });

  it("is deleted and refused, with both digests, when a byte is different", async () => {
    const file = join(temporaryFolder(), "hello.tgz");
    writeFileSync(file, "hellO");
    const refusal = check(file, hello);
    await expect(refusal).rejects.toThrow(Stop);
    await expect(refusal).rejects.toThrow(`expected ${hello.integrity}`);
    expect(existsSync(file)).toBe(false);
  });
});
