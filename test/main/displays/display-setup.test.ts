import { execFileSync } from "node:child_process";
import pino from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DisplaySetup, type WantedDisplay } from "../../../src/main/displays/display-setup.ts";
import { type OutputProgram, type OutputWish, XRANDR } from "../../../src/main/displays/output-programs.ts";
import { runProgram } from "../../../src/player/run-program.ts";
import { PART, ROOM, startWall, type Wall } from "../../support/display/wall.ts";

const [SMALL, LARGE] = [PART, ROOM].map(({ width, height }) => `${width}x${height}`) as [string, string];
const SCREENS = ["left", "right"] as const;

let wall: Wall;
let program: OutputProgram;
/** The orders that were given, a line each. */
let orders: string[];
let warnings: string[];
let setup: DisplaySetup;

/** A real X server whose displays have modes, and cannot be turned. */
beforeAll(async () => {
  wall = await startWall();
});

afterAll(() => wall.stop());

beforeEach(() => {
  for (const index of SCREENS.keys()) wall.turn(index, SMALL);
  orders = [];
  warnings = [];
  const here = ["--display", wall.name];
  program = {
    ...XRANDR,
    list: [...here, ...XRANDR.list],
    changing(output, change) {
      const args = XRANDR.changing(output, change);
      orders.push(args.slice(1).join(" "));
      return [...here, ...args];
    },
  };
  const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(JSON.parse(line).trouble) });
  setup = new DisplaySetup(program, log);
});

/** The left screen's display begins at 0, the right one's beside it. */
function wanted(screenId: (typeof SCREENS)[number], wish: Partial<OutputWish>, isThere = true): WantedDisplay {
  const origin = isThere ? { x: SCREENS.indexOf(screenId) * PART.width, y: 0 } : null;
  return { screenId, wish: { mode: null, rotate: null, scale: null, ...wish }, origin };
}

/** The size of each display, as the X server tells it. */
function sizes(): readonly string[] {
  const said = execFileSync("xrandr", ["--display", wall.name], { encoding: "utf8" });
  return [...said.matchAll(/^DUMMY\d+ connected (?:primary )?(\d+x\d+)\+/gm)].map(([, size = ""]) => size);
}

describe("displays of a real X server", () => {
  it("are switched to the modes that are wanted of them, each its own, and left alone once they are so", async () => {
    const both = [wanted("left", { rotate: 0, scale: 1 }), wanted("right", { mode: LARGE })];
    await setup.apply(both);
    expect([sizes(), orders.length, warnings]).toEqual([[SMALL, LARGE], 1, []]);
    await setup.apply(both);
    expect(orders).toHaveLength(1);
  });

  it("stay as they are where they have no such mode, until they have", async () => {
    const wish = [wanted("left", { mode: "666x444" })];
    await setup.apply(wish);
    expect([sizes(), orders, warnings]).toEqual([[SMALL, SMALL], [], ["DUMMY0 has no mode 666x444"]]);
    expect([setup.troubleOf("left"), setup.troubleOf("right")]).toEqual([warnings[0], null]);
    await setup.apply(wish);
    expect(warnings).toHaveLength(1);
    const run = (...args: readonly string[]) => execFileSync("xrandr", ["--display", wall.name, ...args]);
    run("--newmode", "666x444", ..."24 666 700 760 850 444 447 457 473".split(" "));
    run("--addmode", "DUMMY0", "666x444");
    await setup.apply(wish);
    expect([sizes(), setup.troubleOf("left")]).toEqual([["666x444", SMALL], null]);
  });

  it("are said to be left as they are where the program does not tell of them", async () => {
    const elsewhere = { ...wanted("right", { rotate: 90 }), origin: { x: 7, y: 7 } };
    await setup.apply([wanted("left", { rotate: 0 }), elsewhere]);
    expect([setup.troubleOf("left"), setup.troubleOf("right"), orders]).toEqual([null, warnings[0], []]);
    expect(warnings).toEqual(["xrandr does not tell of the display"]);
  });

  it("are told what they do not take once, and again when another display may be there", async () => {
    const wish = [wanted("left", { rotate: 90, mode: "777x333" }), wanted("right", { mode: LARGE })];
    await setup.apply(wish);
    expect(setup.troubleOf("left")).toMatch(
      /DUMMY0 has no mode .*DUMMY0 does not take rotate 90: .*cannot use rotation/,
    );
    expect(sizes()).toEqual([SMALL, LARGE]);
    await setup.apply(wish);
    expect(orders.filter((order) => order.includes("--rotate"))).toHaveLength(1);
    setup.forget();
    await setup.apply(wish);
    expect(orders.filter((order) => order.includes("--rotate"))).toHaveLength(2);
  });

  it.each(["being told", "a change", "reading back"])(
    "are set up later where %s was not answered at first",
    async (what) => {
      const STUCK = { kind: "stuck", reason: "no answer" } as const;
      let unanswered = ["being told", "a change", "reading back"].indexOf(what);
      setup = new DisplaySetup(program, pino({ level: "silent" }), async (name, args) => {
        unanswered -= 1;
        return unanswered === -1 ? STUCK : runProgram(name, args);
      });
      const wish = [wanted("right", { mode: LARGE })];
      expect(await setup.apply(wish)).toBe(false);
      expect(setup.troubleOf("right")).toContain("no answer");
      expect(await setup.apply(wish)).toBe(true);
      expect([sizes(), setup.troubleOf("right")]).toEqual([[SMALL, LARGE], null]);
    },
  );

  it("that are not there are not asked about", async () => {
    await setup.apply([wanted("right", { mode: LARGE }, false)]);
    expect([orders, sizes(), setup.troubleOf("right")]).toEqual([[], [SMALL, SMALL], null]);
  });
});

describe("a program that is not installed", () => {
  it("is named as what keeps displays from being set up", async () => {
    setup = new DisplaySetup({ ...program, name: "no-such-randr" }, pino({ level: "silent" }));
    await setup.apply([wanted("left", { mode: LARGE })]);
    expect(setup.troubleOf("left")).toBe("displays cannot be set up: no-such-randr is not installed");
  });
});
