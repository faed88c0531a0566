import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** An emulator on a data file, and what it has printed. */
function emulator(data: string) {
  const flags = ["--port", "0", "--media-port", "0", "--control-port", "0", "--data", data];
  const child = spawn(process.execPath, [MAIN, "emulator", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.stderr += text;
  });
  return { child, printed };
}

/** An emulator on a data file, with what it said when it was ready. */
async function ready(data: string) {
  const { child, printed } = emulator(data);
  while (!printed.stdout.includes("\n")) await once(child.stdout, "data");
  return { child, line: JSON.parse(printed.stdout) };
}

describe("spotloop emulator --data", () => {
  it("goes on where it was stopped", async () => {
    const data = join(temporaryFolder(), "state.db");
    const first = await ready(data);
    await fetch(`${first.line.baseUrl}/v3/vendor/org_demo/1/rt_ad/screen_demo`);
    const before = await (await fetch(`${first.line.controlUrl}/control/spots`)).json();
    first.child.kill("SIGTERM");
    const [code] = await once(first.child, "close");

    const second = await ready(data);
    const after = await (await fetch(`${second.line.controlUrl}/control/spots`)).json();

    expect(code).toBe(0);
    expect(after).toEqual(before);
    expect(after).toHaveLength(1);
  });

  it("ends with 78 at a file that it cannot use, and leaves it alone", async () => {
    const data = join(temporaryFolder(), "notes.txt");
    const text = "Buy milk.\n".repeat(1000);
    writeFileSync(data, text);
    const { child, printed } = emulator(data);

    expect((await once(child, "close"))[0]).toBe(78);
    const stderr = `the data file ${data} cannot be used: it is not a data file of the emulator\n`;
    expect(printed).toEqual({ stdout: "", stderr });
    expect(readFileSync(data, "utf8")).toBe(text);
  });
});
