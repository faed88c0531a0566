import { pathToFileURL } from "node:url";
import { checkoutPlayer, type Running } from "../../support/machine/processes.ts";
import type { Rig } from "../../support/player/rig.ts";

/** A full-screen window of the same Electron with a page in it, and nothing else. */
export function playBare(rig: Rig, url: string): Running {
  return rig.play(["--url", url], checkoutPlayer(import.meta.dirname));
}

/** The same with a clip, by its path. */
export function playBareClip(rig: Rig, clip: string): Running {
  const page = pathToFileURL(`${import.meta.dirname}/page.html`);
  page.searchParams.set("clip", clip);
  return playBare(rig, page.href);
}
