import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { startEmulator } from "../../src/emulator/main.ts";
import { running } from "../emulator/running.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The fenced blocks of a language in a page of the docs, in order. */
function blocks(page: string, language: string): readonly string[] {
  const text = readFileSync(join(ROOT, "docs", page), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);
}

/** Each command of a transcript with what it printed. */
function commandsIn(transcript: string): readonly { command: string; printed: string }[] {
  return transcript
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = /[^\\]\n/.exec(part);
      const at = end === null ? part.length : end.index + 1;
      return { command: part.slice(0, at), printed: part.slice(at + 1) };
    });
}

/** All that a program prints, on both streams, in a folder of its own. */
async function printedBy(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const child = spawn(program, args, { cwd, env });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (printed += text));
  child.stdin.end();
  await once(child, "close");
  return printed;
}

/** Some thirty commands, each a process of its own. */
vi.setConfig({ testTimeout: 180_000 });

it.skipIf(process.platform === "win32")("the vendor's page shows what the commands print", async () => {
  // In real time, as on a reader's machine.
  const emulator = await startEmulator({ seed: 1 });
  onTestFinished(() => emulator.close());
  const { baseUrl, mediaUrl, orgToken } = emulator;
  const folder = temporaryFolder();
  const spotloop = join(folder, "spotloop");
  writeFileSync(spotloop, `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, "src/cli/main.ts")}' "$@"\n`);
  chmodSync(spotloop, 0o755);
  const [screens = "", pcs = ""] = blocks("vendor-commands.md", "csv");
  writeFileSync(join(folder, "screens.csv"), screens);
  writeFileSync(join(folder, "pcs.csv"), pcs);
  const env = {
    ...{ PATH: `${folder}:${process.env.PATH}`, HOME: folder, XDG_CACHE_HOME: folder, XDG_CONFIG_HOME: folder },
    ...{ SPOTLOOP_BASE_URL: baseUrl, SPOTLOOP_ORG_TOKEN: orgToken },
  };
  const transcripts = blocks("vendor-commands.md", "console").flatMap(commandsIn);
  expect(transcripts.length).toBeGreaterThan(10);

  for (const { command, printed } of transcripts) {
    const found = (await printedBy("/bin/sh", ["-c", command], folder, env))
      .replaceAll(baseUrl, "http://127.0.0.1:8787")
      .replaceAll(folder, "/home/kiosk")
      .replaceAll(mediaUrl, "http://127.0.0.1:8788")
      .replace(/answers in \d+ ms/, "answers in 4 ms")
      // On a machine that is busy the answer takes longer.
      .replace(/give or take \d+\.\d s/, "give or take 0.5 s");
    // Where the page leaves something out, it says so by an ellipsis.
    const [begin = "", end = ""] = printed.trimEnd().split("\n…\n");
    expect({ command, found: found.slice(0, begin.length) }).toEqual({ command, found: begin });
    expect(found.trimEnd().endsWith(end)).toBe(true);
    if (!printed.includes("\n…\n"))
      expect({ command, found: found.trimEnd() }).toEqual({ command, found: printed.trimEnd() });
  }
});

it("the client's page has a program that runs, and shows what it prints", async () => {
  const { baseUrl, orgToken } = await running();
  const env = { PATH: process.env.PATH, SPOTLOOP_BASE_URL: baseUrl, SPOTLOOP_ORG_TOKEN: orgToken };
  const printed = blocks("client-api.md", "console").at(-1);

  // From the sources, by the same names: what is compiled lies as the sources do.
  const args = ["--conditions=source", "--input-type=module", "--eval", blocks("client-api.md", "js")[0] ?? ""];

  expect(await printedBy(process.execPath, args, ROOT, env)).toBe(printed);
});

it("what the package exports is where the sources and what they are compiled to are", () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const { "./package.json": _, ...entries } = exports as Record<string, Record<string, string>>;

  for (const { source = "", types, default: compiled } of Object.values(entries)) {
    const made = source.replace("./src/", "./dist/").replace(/\.ts$/, "");
    expect([types, compiled]).toEqual([`${made}.d.ts`, `${made}.js`]);
  }
});
