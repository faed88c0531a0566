import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { steps } from "../../scripts/setup/steps.mjs";

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

describe("an npm script", () => {
  it.each(Object.entries<string>(scripts))("has the packages installed first, as on a fresh clone: %s", (_, line) => {
    const [, name] = /^node scripts\/ready\.mjs ([a-z-]+)/.exec(line) ?? [];

    expect(name).not.toBe(undefined);
    expect(existsSync(join(ROOT, "scripts", `${name}.ts`))).toBe(true);
  });

  it.each(["nightly", "check"])("begins nothing with a flag that it does not have: %s", async (name) => {
    const { run } = await import(`../../scripts/${name}.ts`);
    const ready = { say: steps(), signal: AbortSignal.abort() };

    await expect(run(["--bogus"], ready)).rejects.toThrow("Unknown option '--bogus'");
  });
});
