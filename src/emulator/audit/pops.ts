import type { Instant } from "../../core/spot.ts";
import { earliestShown, type PopRecord } from "../spot/ledger.ts";
import { PROOF_WINDOW_MS } from "../spot/proof.ts";
import { type Audited, about, type Violation } from "./violation.ts";

/** What is wrong with the calls of one item's proof-of-play URL, each for itself: too early, too late, too often. */
export function popsOf(audited: Audited): Violation[] {
  const { pops } = audited.item;
  const duplicates = pops.filter(({ verdict }) => verdict === "duplicate");
  // Where a fault spoilt an answer, the player cannot know that its proof had been counted (G10).
  const excused = new Set(duplicates.slice(0, audited.spoiltAt.length));
  return pops.filter((pop) => !excused.has(pop)).flatMap((pop) => complaint(audited, pop) ?? []);
}

/** The item alone may have been shown too early, or it and the one before it. */
function earliestAt({ item, spot }: Audited, at: Instant): Instant {
  const alone = earliestShown(spot, item);
  return at < alone ? alone : item.shownAt;
}

function complaint(audited: Audited, { at, verdict }: PopRecord): Violation | null {
  const { spot } = audited;
  switch (verdict) {
    case "early":
      return about(
        audited,
        "early-pop",
        at,
        `${earliestAt(audited, at) - at} ms before it can have been shown in full`,
      );
    case "late":
      return about(audited, "late-pop", at, `${at - spot.issuedAt - PROOF_WINDOW_MS} ms after the hour`);
    case "duplicate":
      return about(audited, "duplicate-after-success", at, "had been proved and answered 200 before");
    case "counted":
    case "unknown":
      return null;
  }
}
