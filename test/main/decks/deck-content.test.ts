import { EventEmitter } from "node:events";
import type { WebContents } from "electron";
import { describe, expect, it } from "vitest";
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
  /** Contents whose pixels are captured as they are drawn from one capture to the next. */
  function drawing(...alphas: readonly number[]) {
    const asked: object[] = [];
    const capturePage = async (area: object) => {
      asked.push(area);
      return { toBitmap: () => Buffer.from([0, 0, 0, alphas[asked.length - 1] ?? 0]) };
    };
    return { asked, contents: { capturePage } as unknown as WebContents };
  }

  it("is waited for until something is drawn at a point of it, black as it may be", async () => {
    const { asked, contents } = drawing(0, 0, 255);
    await drawnAt(contents, { x: 480, y: 270 });
    expect(asked).toEqual(Array(3).fill({ x: 480, y: 270, width: 1, height: 1 }));
  });

  it("is taken for a transparent picture after a while", async () => {
    const { asked, contents } = drawing();
    await drawnAt(contents, { x: 0, y: 0 });
    expect(asked.length).toBeGreaterThan(1);
  });
});
