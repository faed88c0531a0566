import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Emulator } from "../../../src/emulator/main.ts";
import { running } from "../../emulator/running.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { hasTerminal, onTerminal } from "./terminal.ts";

function vendor({ baseUrl, orgToken }: Emulator) {
  const home = temporaryFolder();
  return { HOME: home, XDG_CACHE_HOME: home, SPOTLOOP_BASE_URL: baseUrl, SPOTLOOP_ORG_TOKEN: orgToken };
}

const posts = (emulator: Emulator) => emulator.calls().filter(({ method }) => method === "POST").length;

describe.runIf(hasTerminal)("on a terminal", () => {
  it("an update that may stop campaigns is asked for, and not done without a yes", async () => {
    const emulator = await running();
    const env = vendor(emulator);

    const no = onTerminal(["locations", "update", "loc_harbour", "--lat", "53.6"], env);
    await no.answer("Go on?", "n");
    const refused = await no.ended();
    expect(refused.code).toBe(0);
    expect(refused.seen).toContain(
      "This sends the location back to REVIEW (lat); campaigns may stop until it is approved",
    );
    expect(refused.seen).toContain("Nothing was changed.");
    expect(posts(emulator)).toBe(0);

    const yes = onTerminal(["locations", "update", "loc_harbour", "--lat", "53.6"], env);
    await yes.answer("Go on?", "y");
    expect((await yes.ended()).seen).toContain("Location loc_harbour is updated: REVIEW.");
  });

  it("a harmless update is not asked for", async () => {
    const emulator = await running();

    const { code, seen } = await onTerminal(
      ["locations", "update", "loc_harbour", "--title", "A"],
      vendor(emulator),
    ).ended();

    expect([code, seen.includes("Go on?")]).toEqual([0, false]);
    expect(posts(emulator)).toBe(1);
  });

  it("a rejection is asked for", async () => {
    const emulator = await running();
    const rejecting = onTerminal(["cars", "reject", "car_cinema", "--reason", "FILTER"], vendor(emulator));

    await rejecting.answer("Reject it?", "y");

    expect((await rejecting.ended()).seen).toContain("CAR car_cinema is rejected (FILTER).");
  });

  it.each([
    ["Ctrl+C", "a yes or no", "\u0003", ["cars", "reject", "car_cinema", "--reason", "FILTER"], "Reject it?"],
    ["Ctrl+D", "a yes or no", "\u0004", ["cars", "reject", "car_cinema", "--reason", "FILTER"], "Reject it?"],
    ["Ctrl+C", "a text", "\u0003", ["provision", "--config", "CONFIG"], "Identifier of this screen:"],
    ["Ctrl+D", "a text", "\u0004", ["provision", "--config", "CONFIG"], "Identifier of this screen:"],
  ])("%s at a question for %s ends the command with 130", async (_key, _for, key, args, question) => {
    const emulator = await running();
    const config = join(temporaryFolder(), "c.json");
    const asking = onTerminal(
      args.map((word) => word.replace("CONFIG", config)),
      vendor(emulator),
    );

    await asking.press(question, key);
    const { code, seen } = await asking.ended();

    expect([code, posts(emulator)]).toEqual([130, 0]);
    expect(seen).toContain("Called off; nothing was changed.\n");
    expect(seen).not.toContain("Warning");
  });

  it("a question after another is asked as the first was", async () => {
    const asking = onTerminal(["provision", "--config", join(temporaryFolder(), "c.json")], vendor(await running()));

    await asking.answer("Identifier of this screen:", "door-1");
    await asking.press("Identifier of its location:", "\u0004");

    expect((await asking.ended()).code).toBe(130);
  });

  it("applying a file shows a bar, and is asked for", async () => {
    const emulator = await running();
    const file = join(temporaryFolder(), "screens.csv");
    writeFileSync(
      file,
      "id,title,location,venue-type,size,loop\na,A,loc_harbour,101,1x1,1\nb,B,loc_harbour,101,1x1,1\n",
    );
    const applying = onTerminal(["screens", "apply", file], vendor(emulator));

    await applying.answer("Go on?", "y");
    const { seen } = await applying.ended();

    expect(seen).toContain("reading [##############################] 2/2");
    expect(seen).toContain("writing [##############################] 2/2");
    expect(seen).toContain("created 2, updated 0, failed 0");
  });

  it("names are bold, unless NO_COLOR says otherwise", async () => {
    const emulator = await running();
    const bold = "\u001b[1m";
    const raw = async (env: Record<string, string>) => {
      const shown = onTerminal(["screens", "get", "screen_demo"], { ...vendor(emulator), ...env });
      return (await shown.ended()).raw.includes(bold);
    };

    expect([await raw({}), await raw({ NO_COLOR: "1" })]).toEqual([true, false]);
  });
});
