import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Display, startDisplay } from "../../../scripts/setup/display.ts";
import { connectX11, type X11Connection } from "../../../src/main/window/x11-connection.ts";
import {
  atomIn,
  atomRequest,
  type Frame,
  frameIn,
  frameRequest,
  mapRequest,
  padded,
  raiseRequest,
  request,
} from "../../../src/main/window/x11-protocol.ts";
import { type WatchEvent, type WindowWatch, watchWindow } from "../../../src/main/window/x11-watch.ts";
import { eventually } from "../../support/machine/processes.ts";

/** The player's window fills the screen. */
const WHOLE = { x: 0, y: 0, width: 320, height: 200 };
/** Another program's window over a corner of it. */
const CORNER = { x: 300, y: 180, width: 100, height: 100 };

let display: Display;
/** The player's own connection, and that of another program. */
let own: X11Connection;
let program: X11Connection;
let windows: number;
let player: number;
let watch: WindowWatch;
let told: WatchEvent[];
/** Which program was said to cover it, last. */
let toldBy: string | null | undefined;
/** What the player's window is to fill. */
let area: Frame | null;

beforeAll(async () => {
  display = await startDisplay({ ...WHOLE, screens: 2 });
});

afterAll(() => display.stop());

beforeEach(async () => {
  windows = 0;
  [own, program] = [await connected(display.name), await connected(display.name)];
  player = create(WHOLE, own);
  own.send(mapRequest(player));
  // Another program could be told of it before it is there.
  await own.ask(frameRequest(player));
  told = [];
  area = null;
  const hear = (event: WatchEvent, by?: string | null) => {
    told.push(event);
    toldBy = by;
  };
  const watching = watchWindow(player, { DISPLAY: display.name }, hear, () => area);
  if (watching === null) throw new Error("no display");
  watch = watching;
  // All windows of a program go with it.
  onTestFinished(() => {
    watch.close();
    own.close();
    program.close();
  });
  await isTold("uncovered");
});

function connected(to: string): Promise<X11Connection> {
  return new Promise((resolve) => void connectX11({ DISPLAY: to }, resolve, () => {}));
}

/** A window on top of all others in another one, by itself the root, which is not to be seen yet. */
function create({ x, y, width, height }: Frame, by = program, isInputOnly = false, parent = by.root): number {
  const window = by.ownNumber + ++windows;
  const message = Buffer.alloc(32);
  message[0] = 1;
  message.writeUInt16LE(8, 2);
  message.writeUInt32LE(window, 4);
  message.writeUInt32LE(parent, 8);
  [x, y, width, height, 0, isInputOnly ? 2 : 1].forEach((value, index) => {
    message.writeInt16LE(value, 12 + 2 * index);
  });
  by.send(message);
  return window;
}

/** Calls its program by a name and a class, as the bytes of its property are. */
function name(window: number, bytes: string): void {
  const [WM_CLASS, STRING] = [67, 31];
  const head = request(18, [window, WM_CLASS, STRING, 8, bytes.length]);
  const message = Buffer.concat([head, padded(Buffer.from(bytes, "latin1"))]);
  message.writeUInt16LE(message.length / 4, 2);
  program.send(message);
}

function show(window: number): void {
  program.send(mapRequest(window));
}

function hide(window: number): void {
  const message = Buffer.alloc(8);
  message[0] = 10;
  message.writeUInt16LE(2, 2);
  message.writeUInt32LE(window, 4);
  program.send(message);
}

/** Waits until that was the last thing that was heard. */
async function isTold(event: WatchEvent): Promise<void> {
  await eventually(`"${event}"`, () => told.at(-1) === event || undefined);
}

describe("a window among others, as the X server tells of it", () => {
  it.each([
    ["a part of it", CORNER],
    ["all of it", WHOLE],
  ])("is covered while another is above %s", async (_, frame) => {
    const other = create(frame);
    show(other);
    await isTold("covered");
    hide(other);
    await isTold("uncovered");
  });

  it.each([
    ["its class", "notes\0XMessage\0", "XMessage"],
    ["what this run of it is called, where that is all", "notes\0", "notes"],
    ["nothing, where it has no name", "", null],
    ["what can be read of it", "\u0007a\0<b>\n\u00e9\0", "<b>"],
    ["as much as fits", `x\0${"y".repeat(100)}`, "y".repeat(60)],
  ])("is covered by a program of which is told %s", async (_, bytes, told) => {
    const other = create(CORNER);
    name(other, bytes);
    show(other);
    await isTold("covered");
    expect(toldBy).toBe(told);
  });

  it("is covered by the program whose window is in the window manager's own", async () => {
    const frame = create(CORNER);
    create(CORNER, program, false, frame);
    const inner = create(CORNER, program, false, frame);
    name(create(CORNER, program, false, inner), "editor\0Editor\0");
    show(frame);
    await isTold("covered");
    expect(toldBy).toBe("Editor");
  });

  it("is in front again once it was raised, and behind when the other is", async () => {
    const other = create(CORNER);
    show(other);
    await isTold("covered");
    watch.raise();
    await isTold("uncovered");
    program.send(raiseRequest(other));
    await isTold("covered");
  });

  it.each([
    ["a strip of a few pixels", () => show(create({ ...WHOLE, x: 313 }))],
    ["one beside the screen", () => show(create({ ...WHOLE, x: -320 }))],
    ["one that is not mapped", () => void create(WHOLE)],
    ["another one of the player's own", () => own.send(mapRequest(create(WHOLE, own)))],
    ["one that draws nothing", () => show(create(WHOLE, program, true))],
  ])("is not covered by %s", async (_, open) => {
    open();
    // Looked at after that, by order of the server: the second one is what is told of.
    const other = create(CORNER);
    show(other);
    await isTold("covered");
    hide(other);
    await isTold("uncovered");
  });

  it("is watched on that of the server's screens which DISPLAY names: covered by what lies on it, not by what lies on others", async () => {
    const to = `${display.name}.1`;
    const [here, there] = [await connected(to), await connected(to)];
    const window = create(WHOLE, here);
    here.send(mapRequest(window));
    await here.ask(frameRequest(window));
    const heard: WatchEvent[] = [];
    const second = watchWindow(window, { DISPLAY: to }, (event) => heard.push(event));
    onTestFinished(() => {
      for (const one of [second, here, there]) one?.close();
    });
    const isHeard = (event: WatchEvent) => eventually(`"${event}"`, () => heard.at(-1) === event || undefined);
    await isHeard("uncovered");
    show(create(WHOLE));
    await isTold("covered");
    second?.look();
    await isHeard("uncovered");
    expect([here.root === own.root, heard.includes("covered")]).toEqual([false, false]);

    there.send(mapRequest(create(CORNER, there)));
    await isHeard("covered");
    second?.raise();
    await isHeard("uncovered");
  });

  it("is known to be covered within the 50 ms that an item may be off by, where it was looked at just before", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const heard: WatchEvent[] = [];
    const later = watchWindow(player, { DISPLAY: display.name }, (event) => heard.push(event));
    onTestFinished(() => later?.close());
    const isHeard = async (event: WatchEvent) => {
      while (heard.at(-1) !== event) await new Promise(setImmediate);
    };
    await isHeard("uncovered");
    show(create(CORNER));
    await program.ask(frameRequest(player));
    vi.advanceTimersByTime(50);
    await isHeard("covered");
  });

  it("is minimized where the window manager says so, though it is still mapped, and restored when it says that", async () => {
    const answer = await program.ask(atomRequest("WM_STATE"));
    const property = answer === null ? 0 : atomIn(answer);
    const say = async (state: number) => {
      // Two numbers of 32 bits in place of what there was.
      program.send(request(18, [player, property, property, 32, 2, state, 0]));
      show(create(CORNER));
      const heard = told.length;
      await eventually("another look", () => told.length > heard || undefined);
    };
    await say(3);
    await eventually("minimized", () => told.includes("minimized") || undefined);
    await say(1);
    await eventually("restored", () => told.lastIndexOf("restored") > told.indexOf("minimized") || undefined);
  });

  it("is told of when it is withdrawn and comes back", async () => {
    hide(player);
    await eventually("its end", () => told.includes("unmapped") || undefined);
    watch.map();
    await eventually("its return", () => told.lastIndexOf("mapped") > told.indexOf("unmapped") || undefined);
  });
});

describe("the X server's answers", () => {
  it("are each its question's own, and none where the server refuses", async () => {
    const nothing = program.ask(frameRequest(0x1fff_ffff));
    const atoms = await Promise.all(["WM_NAME", "WM_CLASS"].map((name) => program.ask(atomRequest(name))));
    expect(await nothing).toBeNull();
    expect(atoms.map((answer) => answer && atomIn(answer))).toEqual([39, 67]);
  });
});

describe("a window on a console that another one hides", () => {
  const INTEGER = 19;
  /** As Xorg does when somebody changes to another console (Ctrl+Alt+F2), and back. */
  const say = async (isInFront: boolean) => {
    const name = await program.ask(atomRequest("XFree86_has_VT"));
    if (name === null) throw new Error("no display");
    program.send(request(18, [program.root, atomIn(name), INTEGER, 32, 1, Number(isInFront)]));
  };
  const isHeard = (event: WatchEvent) =>
    eventually(`"${event}"`, () => told.findLast((one) => one === "away" || one === "back") === event || undefined);

  it("is away until that one is back, and is not where no server says anything of consoles", async () => {
    await isHeard("back");
    await say(false);
    await isHeard("away");
    await say(true);
    await isHeard("back");
  });
});

describe("a window that the X server's own screen saver hides", () => {
  /** As `xset s activate` and `xset s reset` do. */
  const force = (isOn: boolean) => program.send(request(115, [], Number(isOn)));
  const isHeard = (event: WatchEvent) =>
    eventually(
      `"${event}"`,
      () => told.findLast((one) => one === "saver" || one === "no saver") === event || undefined,
    );

  it("is told of until somebody ends it, or it is ended itself", async () => {
    await isHeard("no saver");
    force(true);
    await isHeard("saver");
    force(false);
    await isHeard("no saver");
    force(true);
    await isHeard("saver");
    watch.wake();
    await isHeard("no saver");
  });

  it("is told of where that was on before it was looked at", async () => {
    force(true);
    const heard: WatchEvent[] = [];
    const later = watchWindow(player, { DISPLAY: display.name }, (event) => heard.push(event));
    onTestFinished(() => later?.close());
    await eventually("the saver", () => heard.includes("saver") || undefined);
    force(false);
  });
});

describe("a window that is taken out of the window manager's hands", () => {
  it("fills its area without the border that one drew around it", async () => {
    area = WHOLE;
    const frame = async () => frameIn((await program.ask(frameRequest(player))) as Buffer);
    program.send(request(12, [player, 0x13, 5, 5, 4]));
    expect(await frame()).toEqual({ x: 5, y: 5, width: WHOLE.width + 8, height: WHOLE.height + 8 });
    watch.unmanage();
    await eventually("it at its place", async () => isDeepStrictEqual(await frame(), WHOLE) || undefined);
  });
});

describe("a window that is to fill an area", () => {
  const move = (x: number, y: number) => program.send(request(12, [player, 0x3, x >>> 0, y >>> 0]));
  /** Which of the two was heard last. */
  const place = () => told.findLast((event) => event === "displaced" || event === "in place");
  const isHeard = (event: WatchEvent) => eventually(`"${event}"`, () => place() === event || undefined);

  it("is displaced while a part of that is left, whoever moved it, and in place when it is back", async () => {
    area = WHOLE;
    move(0, 32);
    await isHeard("displaced");
    move(0, 0);
    await isHeard("in place");
    move(-10, 0);
    await isHeard("displaced");
  });

  it("is in place where it fills more, or all but a few pixels of what can be seen of it", async () => {
    area = { x: 0, y: 0, width: 400, height: 206 };
    move(-20, 5);
    await isHeard("displaced");
    move(-5, 5);
    await isHeard("in place");
  });

  it("is never displaced where it is to fill nothing, and found so once it is to, when it is looked at", async () => {
    move(100, 100);
    await isTold("uncovered");
    watch.look();
    await isTold("uncovered");
    expect(place()).toBe("in place");
    area = WHOLE;
    watch.look();
    await isHeard("displaced");
  });
});
