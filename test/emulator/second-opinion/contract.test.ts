import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const TOOLS = join(ROOT, "node_modules");
/** Somebody else's project, with the story, and with what is drawn from the emulator's documents. */
const PROJECT = mkdtempSync(join(tmpdir(), "spotloop-second-opinion-"));
const FLAGS = ["--port", "0", "--media-port", "0", "--control-port", "0", "--seed", "1"];
const emulator = spawn(process.execPath, [join(ROOT, "src/cli/main.ts"), "emulator", ...FLAGS], {
  stdio: ["ignore", "pipe", "ignore"],
});
let said: { baseUrl: string; controlUrl: string; orgToken: string };
let documents: { service: string; control: string };

beforeAll(async () => {
  let printed = "";
  emulator.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  while (!printed.includes("\n")) await once(emulator.stdout, "data");
  said = JSON.parse(printed);
  const read = async (path: string) => (await control(path)).text();
  documents = { service: await read("/openapi.json"), control: await read("/control/openapi.json") };
  for (const file of ["story.ts", "held.ts"]) cpSync(join(import.meta.dirname, file), join(PROJECT, file));
  symlinkSync(TOOLS, join(PROJECT, "node_modules"), "junction");
  writeFileSync(join(PROJECT, "package.json"), JSON.stringify({ type: "module" }));
  const language = { target: "esnext", module: "nodenext", lib: ["es2023", "dom"], types: ["node"], strict: true };
  const compilerOptions = { ...language, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true };
  writeFileSync(join(PROJECT, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["story.ts"] }));
  draw("control", documents.control);
});

beforeEach(async () => {
  await control("/control/reset", "POST");
});

/** No connection is kept: while a program is waited for here, it goes stale, and the next call on it would fail. */
function control(path: string, method = "GET"): Promise<Response> {
  return fetch(said.controlUrl + path, { method, headers: { connection: "close" } });
}

afterAll(async () => {
  emulator.kill("SIGTERM");
  if (emulator.exitCode === null) await once(emulator, "close");
  rmSync(PROJECT, { recursive: true, force: true, maxRetries: 10 });
});

/** Has openapi-typescript draw the types of a document, and keeps the document beside them. */
function draw(name: "service" | "control", document: string): void {
  writeFileSync(join(PROJECT, `${name}.json`), document);
  const api = pathToFileURL(join(import.meta.dirname, "compiler-api.mjs")).href;
  const args = ["--import", api, join(TOOLS, "openapi-typescript/bin/cli.js"), `${name}.json`, "-o", `${name}.d.ts`];
  expect(run(args)).toMatchObject({ code: 0 });
}

function run(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: PROJECT,
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      SPOTLOOP_BASE_URL: said.baseUrl,
      SPOTLOOP_CONTROL_URL: said.controlUrl,
      SPOTLOOP_ORG_TOKEN: said.orgToken,
    },
  });
  return { code: status, said: stdout + stderr };
}

const checked = () => run([join(TOOLS, "typescript/bin/tsc"), "-p", "."]);
const told = () => run(["story.ts"]);

describe("a client that others have generated from the emulator's document", () => {
  it("leads a location, a screen, creatives and a spot through their lives, and calls all that is described", () => {
    draw("service", documents.service);

    expect(checked()).toEqual({ code: 0, said: "" });
    expect(told()).toEqual({ code: 0, said: "told\n" });
  });

  it.each([
    ["a field was renamed", '"newsFirst"', '"news_first"', "Property 'newsFirst' does not exist"],
    ["a status is another", '"APPROVED"', '"ACCEPTED"', '"APPROVED"\' is not assignable to type'],
    ["a path is another", "/venue_types", "/venue-types", "/venue_types"],
    ["a field has to be sent", '"required":["title"]', '"required":["title","email"]', "email"],
  ])("does not compile where, by the document, %s", (_, from, to, complaint) => {
    draw("service", changed(from, to));

    const { code, said } = checked();

    expect(code).not.toBe(0);
    expect(said).toMatch(new RegExp(complaint));
  });

  it.each([
    ["an answer has a field less", '"timezone":{"type":["string","null"]},', "", "must NOT have additional properties"],
    [
      "a number is a text",
      '"loop_duration":{"type":"integer"',
      '"loop_duration":{"type":"string"',
      "loop_duration must be string",
    ],
    ["a creation is answered otherwise", '"201":', '"202":', "answers 201, which the document does not name"],
    [
      "there is a call that nobody knows",
      '{"/vendor/{org_token}/locations":',
      '{"/vendor/{org_token}/more":{"get":{"responses":{}}},"/vendor/{org_token}/locations":',
      "get /vendor/{org_token}/more",
    ],
  ])("does not come to the story's end where, by the document, %s", (_, from, to, complaint) => {
    writeFileSync(join(PROJECT, "service.json"), changed(from, to));

    const { code, said } = told();

    expect(code).toBe(1);
    expect(said).toContain(complaint);
  });
});

/** The document, otherwise in one respect. */
function changed(from: string, to: string): string {
  expect(documents.service).toContain(from);
  return documents.service.replaceAll(from, to);
}
