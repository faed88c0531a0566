import { checkScreenUpdate } from "../../client/checks.ts";
import type { NewScreen } from "../../client/requests.ts";
import { differences } from "../../core/difference.ts";
import { screenEffects } from "../../core/effects.ts";
import { screenComplaints } from "../../core/inventory-check.ts";
import type { ReviewedLocation } from "../../core/location.ts";
import type { VenueTree } from "../../core/venue-type.ts";
import type { Screen } from "../../wire/inventory.ts";
import { CommandFailure, exitCodes } from "../exit.ts";
import { say } from "../text.ts";
import type { Connection } from "../vendor/connection.ts";
import { changeLines, effectText } from "../vendor/effects.ts";
import { orEnd } from "../vendor/failure.ts";
import { endIfFlawed } from "../vendor/flaws.ts";
import { confirm, hasSomebodyToAsk } from "../vendor/question.ts";

type NameOf = (field: string) => string;

/** Ends the command with all that is wrong with a screen at a location, which need not be there yet. */
export function checkScreen(
  screen: NewScreen,
  place: Pick<ReviewedLocation, "venue_type_id">,
  tree: VenueTree | null,
  nameOf: NameOf,
): void {
  const location: ReviewedLocation = { ...BLANK, venue_type_id: place.venue_type_id };
  const complaints = screenComplaints(screen, screen, location, tree);
  endIfFlawed(complaints.map(({ field, message }) => ({ where: nameOf(field), message, kind: "data" })));
}

const BLANK = {
  ...{ lat: null, long: null, opening_168: null, visitors_7: null },
  ...{ status: "DRAFT" as const, available_for_ads: false },
};

/**
 * Makes the screen be as it is wanted: creates it, or after a yes changes one that is there already. A machine that is
 * set up anew gets its screen back.
 */
export async function screenMade(
  screen: NewScreen,
  stored: Screen | null,
  { service, reader, signal }: Connection,
  yes: boolean,
  nameOf: NameOf,
): Promise<{ readonly screen: Screen; readonly done: "created" | "updated" | "there already" }> {
  const { screen_id, ...wanted } = screen;
  const subject = { what: `screen ${screen_id}`, nameOf, look: `spotloop screens get ${screen_id}` };
  if (stored === null) return { screen: orEnd(await service.createScreen(screen), subject), done: "created" };
  if (differences(stored, wanted).length === 0) return { screen: stored, done: "there already" };
  await agree(stored, wanted, yes, nameOf);
  orEnd(await checkScreenUpdate(reader, screen_id, wanted, signal), subject);
  return { screen: orEnd(await service.updateScreen(screen_id, wanted), subject), done: "updated" };
}

async function agree(
  stored: Screen,
  wanted: Omit<NewScreen, "screen_id">,
  yes: boolean,
  nameOf: NameOf,
): Promise<void> {
  say(`There is a screen ${stored.screen_id} already; this changes it:`, ...changeLines(stored, wanted, nameOf));
  say(...screenEffects(stored, wanted).map(effectText));
  if (yes) return;
  if (hasSomebodyToAsk()) return confirm("Change it?");
  throw new CommandFailure("Add --yes to change it, or give another --id.", exitCodes.usage);
}
