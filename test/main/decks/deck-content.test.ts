import { EventEmitter } from "node:events";
import type { WebContents } from "electron";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { drawnAt, loadBefore } from "../../../src/main/decks/deck-content.ts";

/** A page whose load has finished; loading stops when it is told to. */
class FinishedContents extends EventEmitter {
  #loading = true;

  loadURL = () => Promise.resolve();
  isLoading = () => this.#loading;

  stop(): void {
    this.#loading = false;
    this.emit("did-stop-loading");
  }
}

describe("a page that another one follows", () => {
  it("is loaded only when loading has stopped: heard during the next load that would be its failure", async () => {
    const contents = new FinishedContents();
    let loaded = false;
    const loading = loadBefore(contents as unknown as WebContents, "about:blank").then(() => {
      loaded = true;
    });
    await new Promise(setImmediate);
    expect(loaded).toBe(false);
    contents.stop();
    await loading;
    expect(loaded).toBe(true);
  });

  it("is not waited for once loading has stopped", async () => {
    const contents = new FinishedContents();
    contents.stop();
    await expect(loadBefore(contents as unknown as WebContents, "about:blank")).resolves.toBeUndefined();
  });
});

describe("a page without a background", () => {
  const pixelOf = (alpha: number) => ({ toBitmap: () => Buffer.from([0, 0, 0, alpha]) });
  const nothing = { toBitmap: () => Buffer.alloc(0) };

  /** Contents of which that is captured, one after the other, and then nothing any more. */
  function drawing(...captures: readonly (ReturnType<typeof pixelOf> | Error)[]) {
    const asked: object[] = [];
    const capturePage = async (area: object) => {
      asked.push(area);
      const captured = captures[asked.length - 1] ?? nothing;
      if (captured instanceof Error) throw captured;
      return captured;
    };
    return { asked, contents: { capturePage } as unknown as WebContents };
  }

  it("is waited for until something is drawn at a point of it, black as it may be", async () => {
    const { asked, contents } = drawing(nothing, new Error("lost"), pixelOf(0), pixelOf(255));
    await drawnAt(contents, { x: 480, y: 270 });
    expect(asked).toEqual(Array(4).fill({ x: 480, y: 270, width: 1, height: 1 }));
  });

  it("is waited for where a look takes as long as all of them usually do", async () => {
    const { asked, contents } = drawing(nothing, nothing, pixelOf(0), pixelOf(0), pixelOf(255));
    let nowMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => {
      nowMs += 400;
      return nowMs;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    await drawnAt(contents, { x: 480, y: 270 });
    expect(asked.length).toBe(5);
  });

  it("is taken for a transparent picture after a while", async () => {
    const { asked, contents } = drawing();
    await drawnAt(contents, { x: 0, y: 0 });
    expect(asked.length).toBeGreaterThan(1);
  });
});
