import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isStrike } from "../../../src/core/backoff.ts";
import { loadFailure } from "../../../src/main/stage/load-failure.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { anItem } from "../../support/player/spots.ts";

const ERROR = new Error("EncodingError: The source image cannot be decoded.");
const of = (form: "image" | "video") => ({ item: anItem("ad", { form }) });

it("a picture whose bytes are all there and cannot be decoded is to blame", async () => {
  const path = join(temporaryFolder(), "media");
  writeFileSync(path, "no picture");

  expect(await loadFailure(of("image"), { path }, ERROR)).toEqual(["undecodable", String(ERROR)]);
});

it.each(["image", "video"] as const)(
  "what the disk does not give back is no fault of the creative's: %s",
  async (form) => {
    // It can be opened and not read, as a file on a disk that fails.
    const path = join(temporaryFolder(), "media");
    mkdirSync(path);

    const [reason, detail] = await loadFailure(of(form), { path }, ERROR);
    expect([reason, isStrike(reason)]).toEqual(["unfetchable", false]);
    expect(detail).toBe("its file cannot be read any more (EISDIR)");
  },
);
