import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { running } from "../../emulator/running.ts";
import {
  blocks,
  dependencies,
  link,
  makeProject,
  manifest,
  PROJECT,
  packed,
  ROOT,
  removeProject,
  run,
  runBeside,
  tarball,
  version,
  write,
} from "./strangers.ts";

beforeAll(makeProject);
afterAll(removeProject);

const COMMAND = "node_modules/@spotloop/emulator/dist/cli/emulator-main.js";

const NUMBERS = ["no", "one", "two", "three", "four", "five"];

describe("a package for other programs", () => {
  it.each([
    ["client", 100e3],
    ["emulator", 15e6],
  ])("is small and has nothing in it but what is run, read or typed: %s", (name, most) => {
    const files = packed(name);
    const usual =
      /^(?:package\.json|README\.md|LICENSE|dist\/.+\.js|dist\/.+\.d\.ts|commonjs\/.+\.d\.ts|commonjs\/package\.json)$/;
    const others = files.filter((file) => !usual.test(file));

    expect(statSync(tarball(name)).size).toBeLessThan(most);
    expect(
      others.filter(
        (file) =>
          !/^(?:assets\/creatives\/|dist\/emulator\/dashboard\/page\.|dist\/emulator\/dashboard\/\w+\.css$)/.test(file),
      ),
    ).toEqual([]);
    expect(name === "client" ? others : []).toEqual([]);
    expect(
      files.filter((file) =>
        /\.map$|\.tsbuildinfo$|electron|node_modules|\.node$|^dist\/main|^dist\/renderer/.test(file),
      ),
    ).toEqual([]);
    expect(files.filter((file) => /^dist\/player\//.test(file))).toEqual(
      name === "client" ? [] : ["dist/player/run-identity.js", "dist/player/small-file.js"],
    );
  });

  it.each(["client", "emulator"])(
    "pins what it depends on as the player does, and says which Node it needs: %s",
    (name) => {
      const { engines, dependencies: own, optionalDependencies = {}, files, ...rest } = manifest(name);

      expect(own).toEqual(Object.fromEntries(Object.keys(own).map((each) => [each, dependencies[each]])));
      expect(Object.values(own).every((each) => /^\d+\.\d+\.\d+$/.test(String(each)))).toBe(true);
      expect(optionalDependencies).toEqual(
        name === "client" ? {} : { "better-sqlite3": dependencies["better-sqlite3"] },
      );
      expect(engines).toEqual({ node: "^22.12.0 || >=24.0.0" });
      expect(rest).toMatchObject({ name: `@spotloop/${name}`, version, license: "MIT", type: "module" });
      expect(files).toEqual(name === "client" ? ["dist", "commonjs"] : ["dist", "commonjs", "assets"]);
      expect(rest).not.toHaveProperty("devDependencies");
    },
  );

  it.each([
    ["client", "client-api.md", /: (\d+) kB with its types, and (\w+) dependencies/],
    ["emulator", "emulator.md", /: ([\d.]+) MB with its creatives/],
  ] as const)("is as large as its page says, and depends on as much: %s", (name, file, claim) => {
    const [, size, dependencies] = claim.exec(readFileSync(join(ROOT, "docs", file), "utf8")) ?? [];
    const told = Number(size) * (name === "client" ? 1e3 : 1e6);

    expect(Math.abs(statSync(tarball(name)).size - told)).toBeLessThan(told / 20);
    if (name === "client") expect(NUMBERS[Object.keys(manifest(name).dependencies).length]).toBe(dependencies);
  });

  it("has its part of the documents for a README", () => {
    for (const name of ["client", "emulator"]) {
      const readme = readFileSync(join(PROJECT, "node_modules", "@spotloop", name, "README.md"), "utf8");
      expect(readme).toMatch(
        new RegExp(`^# @spotloop/${name}\n\n.+\n\nThe (?:client|emulator) is a package of its own`),
      );
      expect(readme).not.toMatch(/\]\((?!https:)/);
    }
  });
});

describe("the client's package", () => {
  it.each([
    ["an ES module in TypeScript", "ts", "client.ts"],
    ["CommonJS", "cjs", "client.cjs"],
  ])("runs as the page shows it, from %s", async (_, language, file) => {
    const { baseUrl, orgToken } = await running();
    const path = write(file, blocks("client-api.md", language)[0] ?? "");
    const child = await runBeside([path], { SPOTLOOP_BASE_URL: baseUrl, SPOTLOOP_ORG_TOKEN: orgToken });

    expect(child).toEqual({ out: "Above the ticket desk: 1920x1080\n", err: "" });
  });
});

describe("the emulator's package", () => {
  it("serves tests in Vitest as the page shows it", () => {
    const file = write("vitest/proof.test.ts", blocks("emulator.md", "ts")[0] ?? "");

    const { code, out, err } = run([join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--root", dirname(file)]);

    expect(out + err).toMatch(/Tests .*1 passed/);
    expect(code).toBe(0);
  });

  it("serves tests with Jest's expect as the page shows it, from CommonJS", () => {
    const globals = `globalThis.expect = require("expect").expect; globalThis.test = require("node:test").test;\n`;
    const file = write("jest.test.cjs", globals + (blocks("emulator.md", "js")[0] ?? ""));

    const { code, out, err } = run(["--test-reporter=spec", file]);

    expect(out + err).toContain("an advertiser's creative is approved");
    expect(out + err).toContain("pass 1");
    expect(code).toBe(0);
  });

  it("says what a proof lacks, in the words of the test", () => {
    const file = write(
      "failing.mjs",
      `import { startEmulator } from "@spotloop/emulator";
       import { proofMatchers } from "@spotloop/emulator/matchers";
       import { expect } from "expect";
       expect.extend(proofMatchers);
       await using emulator = await startEmulator();
       emulator.next([{ news: null, ad: "ad-coffee" }]);
       await fetch(\`\${emulator.baseUrl}/v3/vendor/org_demo/1/rt_ad/screen_demo\`);
       expect(emulator).toHaveProved("ad-coffee");`,
    );

    const { code, err } = run([file]);

    expect(code).toBe(1);
    expect(err).toContain("expected the network to have a proof of ad-coffee");
    expect(err).toContain("ad ad-coffee: no proof");
  });

  it("brings its command, dashboard and creatives", () => {
    const script = `
      const { SPOTLOOP_CONTROL_URL: control, SPOTLOOP_BASE_URL: base } = process.env;
      const { data } = await (await fetch(base + "/v3/vendor/org_demo/1/rt_ad/screen_demo")).json();
      const urls = [control + "/", control + "/dashboard/page.js", control + "/dashboard/uplot.js", data.ad.url];
      for (const url of urls) console.log((await fetch(url)).status);`;

    const { code, out, err } = run([
      COMMAND,
      "exec",
      "--seed",
      "1",
      "--",
      process.execPath,
      "--input-type=module",
      "-e",
      script,
    ]);

    expect({ code, out, err }).toEqual({ code: 0, out: "200\n200\n200\n200\n", err: "" });
    expect(run([COMMAND, "--version"]).out).toBe(`${version}\n`);
  });

  it("says what to install for a data file where SQLite is absent, and needs it for nothing else", () => {
    const { code, err } = run([
      COMMAND,
      "--port",
      "0",
      "--media-port",
      "0",
      "--control-port",
      "0",
      "--data",
      "state.db",
    ]);

    expect(err).toBe(
      "the data file state.db cannot be used: that takes SQLite, which is not installed here: npm install better-sqlite3\n",
    );
    expect(code).toBe(78);
  });

  it("keeps its state in a data file where SQLite is there", () => {
    link("better-sqlite3");
    const once = ["exec", "--data", "state.db", "--", process.execPath, "-e", ""];

    expect(run([COMMAND, ...once])).toMatchObject({ code: 0 });
    expect(run([COMMAND, ...once]).err).toContain("state.db has kept an earlier run");
    rmSync(join(PROJECT, "node_modules", "better-sqlite3"));
  });
});

describe("the emulator's container", () => {
  const containerfile = readFileSync(join(ROOT, "assets", "emulator", "Containerfile"), "utf8");
  /** The words of an instruction that is written as a list. */
  const words = (instruction: string): string[] => {
    const list = new RegExp(`^${instruction}\\b.*?(\\[".*\\])$`, "m").exec(containerfile)?.[1];
    return JSON.parse(list ?? "[]");
  };

  it("is no root's, has the emulator's ports, and what it copies is what the script packs", () => {
    expect(/^USER (\w+)$/m.exec(containerfile)?.[1]).toBe("node");
    expect(/^EXPOSE (.+)$/m.exec(containerfile)?.[1]).toBe("8787 8788 8789");
    expect(run([COMMAND, "--help"]).out).toMatch(/8787[\s\S]+8788[\s\S]+8789/);
    expect(/^COPY (\S+) /m.exec(containerfile)?.[1]?.replace("*", version)).toBe(basename(tarball("emulator")));
  });

  it("starts on every address with its data, is healthy until it is asked to stop, and then ends at once", async () => {
    link("better-sqlite3");
    // A container has the whole of /opt/spotloop, /data and the ports to itself.
    const here = (word: string) => word.replace("/opt/spotloop", PROJECT).replace("/data", PROJECT);
    const [, ...start] = [...words("ENTRYPOINT"), ...words("CMD")].map(here);
    const ports = ["--port", "0", "--media-port", "0", "--control-port", "0"];
    const child = spawn(process.execPath, [...start, ...ports], { stdio: ["ignore", "pipe", "ignore"] });
    const [line] = await once(child.stdout.setEncoding("utf8"), "data");
    const { port } = new URL(JSON.parse(line).controlUrl);
    const healthy = () =>
      run(
        words("HEALTHCHECK")
          .slice(1)
          .map((word) => word.replace("8789", port)),
      ).code;

    expect(healthy()).toBe(0);
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([0, null]);
    expect(healthy()).toBe(1);
    expect(existsSync(join(PROJECT, "network.db"))).toBe(true);
    rmSync(join(PROJECT, "node_modules", "better-sqlite3"));
  });
});

/** Were a type lost on the way it would be `any`, and the error that is expected would not come. */
const TYPED = `
export async function story(): Promise<string> {
  const emulator = await startEmulator({ seed: 1 });
  emulator.next([{ news: null, ad: "ad-coffee", newsFirst: true }]);
  emulator.fault({ match: { route: "pop" }, do: { status: 503 } });
  // @ts-expect-error: a preset that there is not
  emulator.fault("ofline");
  // @ts-expect-error: no spot has this
  emulator.next([{ advert: "ad-coffee" }]);
  // @ts-expect-error: the ledger's states are known
  emulator.ledger()[0]?.state === "lost";
  const client = new VendorClient({ baseUrl: emulator.baseUrl, orgToken: emulator.orgToken });
  const answer: Answer<{ title: string }> = await client.getScreen("screen_demo");
  // @ts-expect-error: there is a value only where the answer is ok
  answer.value;
  const outcome = await new SpotClient({ ...emulator, fetch, spotTimeoutMs: 1, proofTimeoutMs: 1 }).getSpot("s", NEVER);
  // @ts-expect-error: no outcome is of this kind
  if (outcome.kind === "sopt") return "";
  const found: { pass: boolean; message: () => string } = proofMatchers.toHaveProved(emulator, "ad-coffee");
  // @ts-expect-error: an item is named by a text
  proofMatchers.toHaveProved(emulator, 1);
  await emulator[Symbol.asyncDispose]();
  return answer.kind === "ok" && found.pass ? answer.value.title : "";
}
const NEVER = new AbortController().signal;
`;
const IMPORTS = `
import { VendorClient } from "@spotloop/client";
import type { Answer } from "@spotloop/client/answer";
import { SpotClient } from "@spotloop/client/spot-client";
import { startEmulator } from "@spotloop/emulator";
import { proofMatchers } from "@spotloop/emulator/matchers";
`;

/** What a library that is built upon the client may export, without a word of its own about types. */
const BUILT_UPON = `
import { VendorClient } from "@spotloop/client";
import type { Answer } from "@spotloop/client/answer";
import { SpotClient } from "@spotloop/client/spot-client";
import type { NewScreen } from "@spotloop/client/types/client/checks";
import type { Location } from "@spotloop/client/types/wire/inventory";
const client = new VendorClient({ baseUrl: "https://network.example", orgToken: "t" });
const player = new SpotClient({ baseUrl: "https://network.example", orgToken: "t", fetch, spotTimeoutMs: 1, proofTimeoutMs: 1 });
export const screen = () => client.getScreen("s");
export const location = (): Promise<Answer<Location>> => client.getLocation("l");
export const created = (creation: NewScreen) => client.createScreen(creation);
export const approval = () => client.getApproval("c");
export const rejection = () => client.rejectApproval("c", { rejection_reasons: ["FILTER"] });
export const types = () => client.listVenueTypes();
export const tree = () => client.venueTree();
export const spot = () => client.getSpot("s");
export const proof = () => client.sendProof("https://pop.example");
export const delivery = (signal: AbortSignal) => player.sendProof("https://pop.example", signal);
export async function shown(signal: AbortSignal) {
  const outcome = await player.getSpot("s", signal);
  return outcome.kind === "spot" ? [outcome.spot, outcome.spot.ad, outcome.malformed] as const : null;
}
export async function flaws() {
  const answer = await client.updateLocation("l", {});
  return answer.kind === "invalid" ? answer.fields : null;
}
`;

describe("the types of both packages", () => {
  it.each([
    ["an ES module by Node's rules", "story.mts", ["node16", "node16"]],
    ["CommonJS by Node's rules", "story.cts", ["node16", "node16"]],
    ["an ES module by Node's newest rules", "story.mts", ["nodenext", "nodenext"]],
    ["CommonJS by Node's newest rules", "story.cts", ["nodenext", "nodenext"]],
    ["a bundler", "story.ts", ["esnext", "bundler"]],
  ])("are whole for %s", (_, file, [module = "", moduleResolution = ""]) => {
    const folder = `typed-${file.replace(".", "-")}-${module}`;
    write(`${folder}/${file}`, IMPORTS + TYPED);

    expect(compiled(folder, file, { module, moduleResolution })).toEqual({ code: 0, out: "" });
  });

  it.each([
    ["an ES module", "library.mts", "nodenext"],
    ["CommonJS", "library.cts", "nodenext"],
    ["a bundler", "library.ts", "bundler"],
  ])("have names for the declarations of a library that builds upon the client: %s", (_, file, moduleResolution) => {
    const folder = `built-upon-${file.replace(".", "-")}`;
    write(`${folder}/${file}`, BUILT_UPON);
    const module = moduleResolution === "bundler" ? "esnext" : moduleResolution;

    expect(compiled(folder, file, { module, moduleResolution, declaration: true })).toEqual({ code: 0, out: "" });
  });
});

/** What the compiler says to a file of the project. */
function compiled(folder: string, file: string, options: Readonly<Record<string, unknown>>) {
  // The declarations are checked, too, and those of what they import: a program of Node's has none of the browser's.
  const lib = ["es2023"];
  const language = { target: "es2022", lib, types: ["node"], strict: true, noEmit: true, skipLibCheck: false };
  write(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: { ...language, ...options }, files: [file] }));
  const { code, out } = run([join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder]);
  return { code, out };
}
