import { globSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cycles, strangers, violations } from "./support/architecture.ts";

const root = `${import.meta.dirname}/..`;

/** What git ignores at the top level is nobody's: build output, packages, logs. */
const ignored = readFileSync(`${root}/.gitignore`, "utf8")
  .split("\n")
  .map((line) => line.replaceAll("/", ""));

describe("the architecture", () => {
  const sources = globSync(["src/**/*.ts", "renderer/**/*.ts"], { cwd: root }).map((path) =>
    path.replaceAll("\\", "/"),
  );

  it.each(sources)("is kept to by %s", (path) => {
    expect(violations({ path, text: readFileSync(`${root}/${path}`, "utf8") })).toEqual([]);
  });

  it("has no file that imports itself by way of others", () => {
    expect(cycles(sources.map((path) => ({ path, text: readFileSync(`${root}/${path}`, "utf8") })))).toEqual([]);
  });

  it("has only known entries at the top level", () => {
    expect(strangers(readdirSync(root), ignored)).toEqual([]);
  });
});

describe("the architecture's checker", () => {
  it("tells the way from a file back to itself, types included, but not where it is loaded late", () => {
    const sources = [
      { path: "src/core/a.ts", text: `import type { B } from "./b.ts";` },
      { path: "src/core/b.ts", text: `import { c } from "./deeper/c.ts";` },
      { path: "src/core/deeper/c.ts", text: `import { a } from "../a.ts";\nawait import("./d.ts");` },
      { path: "src/core/deeper/d.ts", text: `import { c } from "./c.ts";` },
    ];
    expect(cycles(sources)[0]).toBe("src/core/a.ts → src/core/b.ts → src/core/deeper/c.ts → src/core/a.ts");
    expect(cycles(sources)).toHaveLength(3);
  });

  const found = (path: string, text: string) => violations({ path, text });

  it.each([
    ["src/core/spot.ts", `import { z } from "zod";`, "imports zod"],
    ["src/core/spot.ts", `import { readFile } from "node:fs/promises";`, "imports node:fs/promises"],
    ["src/core/spot.ts", `import type { Url } from "../wire/routes.ts";`, "imports src/wire/routes.ts"],
    ["src/wire/spot.ts", `import { Hono } from "hono";`, "imports hono"],
    ["src/client/spot-client.ts", `import { x } from "../player/clock.ts";`, "imports src/player/clock.ts"],
    [
      "src/emulator/main.ts",
      `import { SpotClient } from "../client/spot-client.ts";`,
      "imports src/client/spot-client.ts",
    ],
    ["src/emulator/main.ts", `const { x } = await import("../player/clock.ts");`, "imports src/player/clock.ts"],
    ["src/player/player.ts", `import { app } from "electron";`, "imports electron"],
    ["src/player/player.ts", `import {\n  app,\n  type BaseWindow,\n} from "electron/main";`, "imports electron"],
    ["src/player/player.ts", `import Database from "better-sqlite3";`, "imports better-sqlite3"],
    ["src/cli/main.ts", `import "better-sqlite3";`, "imports better-sqlite3"],
    ["src/player/player.ts", `import { play } from "../main/boot/start.ts";`, "imports src/main/boot/start.ts"],
    [
      "renderer/media/media.ts",
      `import { order } from "../../src/core/spot.ts";`,
      "imports more than types from src/core/spot.ts",
    ],
    [
      "renderer/media/media.ts",
      `import { type A, order } from "../../src/core/spot.ts";`,
      "imports more than types from src/core/spot.ts",
    ],
    ["renderer/media/media.ts", `import type { Url } from "../../src/wire/routes.ts";`, "imports src/wire/routes.ts"],
    [
      "src/emulator/dashboard/page.ts",
      `import { issue } from "../spot/issue.ts";`,
      "imports more than types from src/emulator/spot/issue.ts",
    ],
    ["src/player/clock.ts", "export default class Clock {}", "exports a default"],
    ["src/player/clock.ts", "const clock = 1;\nexport { clock as default };", "exports a default"],
    ["src/player/all.ts", `export * from "./clock.ts";`, "passes on what another file exports"],
    ["src/player/all.ts", `export { clock } from "./clock.ts";`, "passes on what another file exports"],
    ["src/player/index.ts", "const one = 1;", "is a barrel"],
    ["src/core/loop.ts", "const now = Date.now();", "has Date.now in the core"],
    ["src/core/loop.ts", "const now = new Date();", "has Date() in the core"],
    ["src/core/loop.ts", "const now = new Date;", "has new Date in the core"],
    ["src/core/loop.ts", "const random = Math.random();", "has Math.random in the core"],
    ["src/core/loop.ts", "const now = performance.now();", "has performance in the core"],
    ["src/core/loop.ts", "setTimeout(step, 10);", "has setTimeout in the core"],
    ["src/core/loop.ts", "const id = crypto.randomUUID();", "has crypto in the core"],
  ])("finds that %s with %j %s", (path, text, what) => {
    expect(found(path, text)).toEqual([`${path} ${what}`]);
  });

  it.each([
    [
      "src/core/hours.ts",
      `import type { Spot } from "./spot.ts";\nconst monday = new Date(0);\n// Date.now() would be a clock`,
    ],
    ["src/core/hours.ts", `const note = "performance, await and https://example.com";`],
    ["src/main/boot/start.ts", `import { app } from "electron";\nimport { runCli } from "../cli/main.ts";`],
    ["src/player/stores/database.ts", `import Database from "better-sqlite3";`],
    ["src/emulator/store.ts", `import Database from "better-sqlite3";`],
    [
      "renderer/media/media.ts",
      `import type { Item } from "../../src/core/spot.ts";\nimport { type A, type B } from "../../src/core/spot.ts";`,
    ],
    [
      "src/emulator/dashboard/page.ts",
      `import { draw } from "./plot.ts";\nimport type { SpotJson } from "../control/spots.ts";`,
    ],
    ["src/player/clock.ts", `export const clock = 1;\nconst word = "from";`],
  ])("has nothing against %s with %j", (path, text) => {
    expect(found(path, text)).toEqual([]);
  });

  it("finds what does not belong at the top level", () => {
    const entries = [".ci", "src", "README.md", "notes.txt", "lib", "dist", "npm-debug.log"];
    expect(strangers(entries, ["dist", "*.log"])).toEqual(["notes.txt", "lib"]);
  });
});
