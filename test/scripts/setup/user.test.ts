import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { closedFolder } from "../../../scripts/setup/user.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

/** The user nobody, or the one who runs the test where that is not root and can start nothing as somebody else. */
const somebody =
  process.getuid?.() === 0
    ? { uid: 65_534, gid: 65_534 }
    : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

describe("the ordinary user", () => {
  it("is kept out by the outermost closed folder on the way", () => {
    const outer = join(temporaryFolder(), "outer");
    mkdirSync(join(outer, "inner"), { recursive: true });
    chmodSync(join(outer, ".."), 0o755);
    expect(closedFolder(join(outer, "inner"), { ...somebody, home: "/" })).toBeNull();
    chmodSync(outer, 0o600);
    expect(closedFolder(join(outer, "inner"), { ...somebody, home: "/" })).toBe(outer);
    chmodSync(outer, 0o700);
  });
});
