import { describe, expect, it, vi } from "vitest";
import { runCli } from "../../src/cli/main.ts";

describe("the command line", () => {
  it.each(["constructor", "toString", "__proto__", "nothing"])("knows no command called %s", async (name) => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const code = await runCli([name]).finally(() => write.mockRestore());

    expect(code).toBe(64);
  });
});
