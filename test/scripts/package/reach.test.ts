import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { reachOf } from "../../../scripts/package/reach.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

function built(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe("what a module reaches", () => {
  it("is what it imports, at once or when it is wanted, and what that imports", () => {
    const folder = built({
      "a/one.js": `import { z } from "zod";\nimport { two } from "../b/two.js";\nexport const three = () => import("./three.js");`,
      "b/two.js": `import { readFile } from "node:fs/promises";\nimport path from "path";\nimport "@scope/name/part";`,
      "a/three.js": `import {\n  one,\n} from "./one.js";`,
      "a/other.js": `import "unused";`,
    });

    expect(reachOf(folder, ["a/one.js"])).toEqual({
      files: ["a/one.js", "a/three.js", "b/two.js"],
      packages: ["@scope/name", "zod"],
    });
  });

  it("is declarations where it is one, whichever ending they name", () => {
    const folder = built({
      "one.d.ts": `import type { Two } from "./two.ts";\nexport type Three = import("./three.js").Three;`,
      "two.d.ts": `export { type Four } from "four";`,
      "three.d.ts": "export type Three = 3;",
      "two.js": `import "of-code-only";`,
    });

    expect(reachOf(folder, ["one.d.ts"])).toEqual({
      files: ["one.d.ts", "three.d.ts", "two.d.ts"],
      packages: ["four"],
    });
  });

  it("is nothing that a comment gives as an example, and leaves URLs in strings alone", () => {
    const folder = built({
      "one.js": `/** @example\n * import { x } from "not-there";\n */\nconst url = "https://x"; // import "nor-this"\nimport "there";`,
    });

    expect(reachOf(folder, ["one.js"]).packages).toEqual(["there"]);
  });

  it("is an error where it was not built", () => {
    const folder = built({ "one.js": `import "./two.js";` });

    expect(() => reachOf(folder, ["one.js"])).toThrow("one.js imports ./two.js, which was not built");
  });
});
