import { EventEmitter } from "node:events";
import type { WebContents } from "electron";
import { describe, expect, it } from "vitest";
import { loadBefore } from "../../../src/main/decks/deck-content.ts";

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
