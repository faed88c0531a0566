import { describe, expect, it } from "vitest";
import { candidates, installedIn, missing } from "../../../scripts/setup/system.ts";

const gtk = { commands: [], packages: ["libgtk-3-0t64", "libgtk-3-0"] };
const ffmpeg = { commands: ["ffmpeg"], packages: ["ffmpeg"] };
const nothing = { onPath: () => false, installed: new Set<string>() };

describe("what the system lacks", () => {
  it("is everything on an empty machine", () => {
    expect(missing([gtk, ffmpeg], nothing)).toEqual([gtk, ffmpeg]);
  });

  it("is no library that is there under either name", () => {
    expect(missing([gtk], { ...nothing, installed: new Set(["libgtk-3-0"]) })).toEqual([]);
    expect(missing([gtk], { ...nothing, installed: new Set(["libgtk-3-0t64"]) })).toEqual([]);
  });

  it("is no tool that is on the path, wherever it came from", () => {
    expect(missing([ffmpeg], { ...nothing, onPath: (command) => command === "ffmpeg" })).toEqual([]);
  });

  it("is only tools where there is no dpkg to ask about libraries", () => {
    expect(missing([gtk, ffmpeg], { ...nothing, installed: null })).toEqual([ffmpeg]);
  });
});

describe("what apt and dpkg say", () => {
  it("names a package installable only when it has a candidate, which a virtual one has not", () => {
    const policy = [
      "libasound2:",
      "  Installed: (none)",
      "  Candidate: (none)",
      "  Version table:",
      "libasound2t64:",
      "  Installed: (none)",
      "  Candidate: 1.2.11-1build2",
      "  Version table:",
      "     1.2.11-1build2 500",
    ].join("\n");
    expect([...candidates(policy)]).toEqual(["libasound2t64"]);
  });

  it("names a package installed only when it is so now, and leaves out its architecture", () => {
    const answer = "xvfb installed\nlibnss3:amd64 installed\nffmpeg config-files\nlibgbm1 not-installed\n";
    expect([...installedIn(answer)]).toEqual(["xvfb", "libnss3"]);
  });
});
