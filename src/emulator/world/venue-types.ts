import type { z } from "zod";
import type { VenueTree, VenueType } from "../../core/inventory/rules.ts";
import { venueTypesSchema } from "../../wire/inventory.ts";
import { problemOf, WorldFileError, type WorldProblem } from "../problems.ts";

type VenueTypes = z.infer<typeof venueTypesSchema>;

export type VenueTypesReading =
  | { readonly kind: "tree"; readonly tree: VenueTree }
  | { readonly kind: "bad"; readonly problems: readonly WorldProblem[] };

export class VenueTypesError extends WorldFileError {
  override name = "VenueTypesError";

  constructor(problems: readonly WorldProblem[]) {
    super("a tree of venue types", problems);
  }
}

/** More than the public scheme will ever have; a file beyond this is something else. */
const MOST_VENUE_TYPES = 10_000;

/**
 * The venue types that an emulator has unless it is given others: numbered as in the public OpenOOH scheme, described in
 * our own words (D1).
 */
export function builtInVenueTypes(): VenueTree {
  return new Map(TYPES.map(([id, label, description]) => [id, venueType(id, label, description ?? null)]));
}

/** Reads parsed JSON, a list as the service answers it; a bad one comes with all its problems (D1). */
export function readVenueTypes(content: unknown): VenueTypesReading {
  const read = venueTypesSchema.min(1).max(MOST_VENUE_TYPES).safeParse(content);
  if (!read.success) {
    return { kind: "bad", problems: read.error.issues.map(problemOf) };
  }
  const tree: VenueTree = new Map(read.data.map((type) => [type.id, type]));
  const problems = [...referenceErrors(read.data, tree)];
  return problems.length === 0 ? { kind: "tree", tree } : { kind: "bad", problems };
}

function* referenceErrors(types: VenueTypes, tree: VenueTree): Generator<WorldProblem> {
  const seen = new Set<string>();
  for (const [index, { id, parent_id, level, selectable }] of types.entries()) {
    if (seen.has(id)) yield { path: `[${index}].id`, message: `${id} is there already` };
    seen.add(id);
    if (selectable !== level > 1) yield { path: `[${index}].selectable`, message: "is true for levels 2 and 3 only" };
    const parentLevel = parent_id === null ? 0 : tree.get(parent_id)?.level;
    if (parentLevel === undefined)
      yield { path: `[${index}].parent_id`, message: `there is no venue type ${parent_id}` };
    else if (parentLevel !== level - 1) {
      yield { path: `[${index}].parent_id`, message: `must be of level ${level - 1}, which this one's is not` };
    }
  }
}

/** Each level adds two digits: 1, 101, 10101; 11, 1101, 110101. */
function venueType(id: string, label: string, description: string | null): VenueType {
  const level = id.length <= 2 ? 1 : id.length <= 4 ? 2 : 3;
  return { label, id, parent_id: level === 1 ? null : id.slice(0, -2), level, selectable: level > 1, description };
}

const TYPES: readonly (readonly [id: string, label: string, description?: string])[] = [
  ["1", "Transit", "Where people are on their way"],
  ["101", "Airports", "Terminals, from the kerb to the gate"],
  ["10101", "Arrival Hall"],
  ["10102", "Baggage Claim"],
  ["10103", "Departures Hall"],
  ["10104", "Food Court"],
  ["10105", "Gates"],
  ["10106", "Lounges"],
  ["10107", "Shopping Area"],
  ["102", "Buses", "In and around city and long-distance buses"],
  ["10201", "Bus"],
  ["10202", "Terminal"],
  ["103", "Taxi & Rideshare TV", "In front of the passengers of a hired car"],
  ["104", "Taxi & Rideshare Top", "On the roof of a hired car"],
  ["105", "Subway", "Underground trains and their stations"],
  ["10501", "Subway Train"],
  ["10502", "Platform"],
  ["106", "Train Stations", "Railway stations and the trains that call there"],
  ["10601", "Train"],
  ["10602", "Platform"],
  ["10603", "Concourse", "Between the entrances and the platforms"],
  ["107", "Ferry", "On board of passenger ships and at their piers"],
  ["10701", "On Board"],
  ["10702", "Pier"],
  ["2", "Retail", "Where people buy"],
  ["201", "Gas Stations", "Fuel and what is sold beside it"],
  ["20101", "Pump"],
  ["20102", "Shop"],
  ["202", "Convenience Stores", "Small shops with long hours"],
  ["203", "Grocery", "Food shops and supermarkets"],
  ["20301", "Shop Entrance"],
  ["20302", "Check Out"],
  ["20303", "Aisles"],
  ["204", "Liquor Stores", "Bottled drinks to take away"],
  ["205", "Malls", "Many shops under one roof"],
  ["20501", "Concourse"],
  ["20502", "Food Court"],
  ["20503", "Spectacular", "A very large screen in a prime spot"],
  ["206", "Cannabis Dispensaries", "Licensed cannabis shops"],
  ["207", "Pharmacies", "Medicines, with and without prescription"],
  ["208", "Parking Garages", "Paid parking in a building"],
  ["20801", "Pay Station"],
  ["3", "Outdoor", "In the open"],
  ["301", "Billboards", "Large screens beside the road"],
  ["30101", "Roadside"],
  ["30102", "Highway"],
  ["30103", "Spectacular", "A landmark of a screen"],
  ["302", "Urban Panels", "Street furniture at eye level"],
  ["303", "Bus Shelters", "Where people wait for the bus"],
  ["4", "Health & Beauty", "Where people look after themselves"],
  ["401", "Gyms", "Training indoors"],
  ["40101", "Lobby"],
  ["40102", "Fitness Equipment"],
  ["402", "Salons", "Hair and beauty"],
  ["403", "Spas", "Baths and massage"],
  ["5", "Point of Care", "Where patients are seen"],
  ["501", "Doctor's Offices", "Medical practices"],
  ["50101", "Waiting Room"],
  ["502", "Veterinary Offices", "Practices for animals"],
  ["50201", "Waiting Room"],
  ["6", "Education", "Where people learn"],
  ["601", "Schools", "Up to the end of secondary education"],
  ["602", "Colleges and Universities", "Higher education"],
  ["60201", "Residences"],
  ["60202", "Common Areas"],
  ["60203", "Athletic Facilities"],
  ["7", "Office Buildings", "Where people work at desks"],
  ["701", "Office Buildings", "Shared parts of buildings let as offices"],
  ["70101", "Elevator"],
  ["70102", "Lobby"],
  ["8", "Leisure", "Where people spend free time"],
  ["801", "Recreational Locations", "Parks, museums, stages"],
  ["80101", "Theme Parks"],
  ["80102", "Museums and Galleries"],
  ["80103", "Concert Venues"],
  ["802", "Movie Theaters", "Films on a large screen"],
  ["80201", "Lobby"],
  ["80202", "Food Court"],
  ["803", "Sports Entertainment", "Sport to watch or to take part in"],
  ["80301", "Sport Arena"],
  ["80302", "Club House"],
  ["804", "Bars", "Drinks over the counter"],
  ["805", "Casual Dining", "Restaurants with service at the table"],
  ["806", "QSR", "Quick-service restaurants"],
  ["807", "Hotels", "Rooms by the night"],
  ["80701", "Lobby"],
  ["80702", "Elevator"],
  ["80703", "Room"],
  ["808", "Golf Carts", "On the course"],
  ["809", "Night Clubs", "Music and dancing at night"],
  ["9", "Government", "Public authorities"],
  ["901", "DMVs", "Vehicle registration and driving licences"],
  ["902", "Military Bases", "Barracks and training grounds"],
  ["903", "Post Offices", "Letters and parcels"],
  ["90301", "Counter Hall"],
  ["10", "Financial", "Money matters"],
  ["1001", "Banks", "Branches and their cash machines"],
  ["100101", "Branch"],
  ["11", "Residential", "Where people live"],
  ["1101", "Apartment Buildings and Condominiums", "Shared parts of buildings with many homes"],
  ["110101", "Lobby"],
  ["110102", "Elevator"],
];
