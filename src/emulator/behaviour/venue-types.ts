import type { Behaviour } from "./row.ts";

/** Section D: venue types. */
export const venueTypes: readonly Behaviour[] = [
  {
    id: "D1",
    topic: "Which venue types there are",
    contract: "Three-level hierarchy: level 1 is not selectable, levels 2 and 3 are.",
    answer:
      "Those of the public OpenOOH scheme: an id is its number, `parent_id` the id without its last two digits. Another tree with `--venue-types FILE`.",
  },
  {
    id: "D2",
    topic: "Labels",
    contract: "Display name.",
    answer: 'Labels of level 3 repeat across the tree; people are shown "Lobby (Hotels)".',
  },
];
