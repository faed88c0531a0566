import { EventEmitter } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BaseWindow } from "electron";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSlate } from "../../../src/main/house/slate.ts";
import { appUrl } from "../../../src/main/protocol/schemes.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

/** A page as Electron has it. Loads are settled by whoever tests. */
class FakePage extends EventEmitter {
  readonly loads: { readonly done: () => void; readonly fail: (error: Error) => void }[] = [];
  readonly debugger = { isAttached: () => true, sendCommand: async () => ({}) };
  isDestroyed = () => false;
  setWebRTCIPHandlingPolicy(): void {}
  setWindowOpenHandler(): void {}
  setIgnoreMenuShortcuts(): void {}

  loadURL(): Promise<void> {
    return new Promise((done, fail) => this.loads.push({ done, fail }));
  }
}

let page: FakePage;
let app: string;
let serve: (request: Request) => Promise<Response>;

vi.mock("electron", () => {
  const ignore = () => {};
  const session = {
    ...{ on: ignore, off: ignore, setProxy: async () => {}, webRequest: { onBeforeRequest: ignore } },
    ...{ setPermissionRequestHandler: ignore, setPermissionCheckHandler: ignore },
    ...{ setDevicePermissionHandler: ignore, setDisplayMediaRequestHandler: ignore },
    protocol: {
      isProtocolHandled: () => false,
      handle(_scheme: string, handler: typeof serve) {
        serve = handler;
      },
    },
  };
  class WebContentsView {
    readonly webContents = page;
    setBackgroundColor(): void {}
    setBounds(): void {}
  }
  const bounds = { x: 0, y: 0, width: 1920, height: 1080 };
  return {
    WebContentsView,
    app: { getAppPath: () => app },
    session: { fromPartition: () => session },
    screen: { getDisplayMatching: () => ({ bounds }) },
  };
});

const window = {
  contentView: { addChildView() {} },
  on() {},
  getContentBounds: () => ({ x: 0, y: 0, width: 1920, height: 1080 }),
} as unknown as BaseWindow;

const SECOND_MS = 1_000;
const CRASHED = "render-process-gone";

beforeEach(() => {
  vi.useFakeTimers();
  page = new FakePage();
  app = temporaryFolder();
});
afterEach(() => void vi.useRealTimers());

/** A slate whose first load is under way. */
async function loading() {
  const heard: string[] = [];
  const parts = { onLoaded: () => void heard.push("loaded"), onGone: () => void heard.push("gone") };
  void createSlate(window, "slate/slate.html", parts).load();
  await vi.advanceTimersByTimeAsync(0);
  return heard;
}

async function settle(outcome: "done" | "fail", number = page.loads.length): Promise<void> {
  page.loads[number - 1]?.[outcome](new Error("ERR_FAILED (-2)"));
  await vi.advanceTimersByTimeAsync(0);
}

describe("a slate", () => {
  it("that cannot be loaded is tried again, ever later, until it is there", async () => {
    const heard = await loading();
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 4; attempt++) {
      await settle("fail");
      const failedAt = Date.now();
      while (page.loads.length === attempt && Date.now() - failedAt < 60 * SECOND_MS) {
        await vi.advanceTimersByTimeAsync(100);
      }
      waits.push(page.loads.length === attempt ? Number.NaN : Date.now() - failedAt);
    }
    expect(waits).toEqual([0, 500, 1_000, 1_500]);
    await settle("done");
    await vi.advanceTimersByTimeAsync(120 * SECOND_MS);
    expect([heard, page.loads.length]).toEqual([["gone", "gone", "gone", "gone", "loaded"], 5]);
  });

  it("is not taken for loaded where its page cannot be read", async () => {
    await loading();
    const answer = async (path: string) => (await serve(new Request(appUrl(path)))).type;
    expect(await answer("slate/slate.html")).toBe("error");
    mkdirSync(join(app, "dist/renderer/slate"), { recursive: true });
    writeFileSync(join(app, "dist/renderer/slate/slate.html"), "page");
    expect(await answer("slate/slate.html")).toBe("default");
  });

  it("that crashes is loaded again once, though its load fails as well", async () => {
    const heard = await loading();
    await settle("done");
    page.emit(CRASHED);
    await vi.advanceTimersByTimeAsync(0);
    page.emit(CRASHED);
    await settle("fail");
    await vi.advanceTimersByTimeAsync(10 * SECOND_MS);
    await settle("done");
    await vi.advanceTimersByTimeAsync(120 * SECOND_MS);
    expect(page.loads.length).toBe(3);
    expect(heard.filter((what) => what === "loaded").length).toBe(2);
  });

  it("is not loaded again for a load that another one has replaced", async () => {
    const slate = createSlate(window, "slate/slate.html");
    Object.assign(page, { forcefullyCrashRenderer: () => page.emit(CRASHED) });
    void slate.load();
    await vi.advanceTimersByTimeAsync(0);
    void slate.renew();
    await settle("fail", 1);
    await settle("done", 2);
    await vi.advanceTimersByTimeAsync(120 * SECOND_MS);
    expect(page.loads.length).toBe(2);
  });
});
