import { isDeepStrictEqual } from "node:util";
import type { Row } from "../../vendor/apply/rows.ts";
import { type Column, columnNamed, locationColumns, screenColumns } from "../../vendor/columns.ts";

/** What a row says of a location has the names of provision's flags: its title is not the screen's. */
const PLACE_FLAGS = ["title", "lat", "long", "open", "visitors", "email", "phone"];

const placeColumns: readonly Column[] = locationColumns
  .filter(({ flag }) => PLACE_FLAGS.includes(flag))
  .map((column) => (column.flag === "title" ? { ...column, flag: "location-title", aliases: [] } : column));

/** The columns of a file that has a row for each PC: its screen, and where that stands. */
export const sheetColumns: readonly Column[] = [...screenColumns, ...placeColumns];

/** The columns of what such a file says about locations, once it is a row for each. */
export const sheetLocationColumns: readonly Column[] = [
  ...locationColumns.filter(({ flag }) => flag === "id" || flag === "venue-type"),
  ...placeColumns,
];

/** What a file of PCs says, row by row: the screens, and each location that it says something about once. */
export interface Sheet {
  readonly screens: readonly Row[];
  readonly locations: readonly SheetLocation[];
  /** Where rows of one location contradict each other. */
  readonly contrary: readonly { readonly where: string; readonly id: string; readonly text: string }[];
}

/** A location by the rows of its screens. */
export interface SheetLocation {
  readonly id: string;
  readonly row: Row;
  /** The venue type of its first screen; empty where there is none. */
  readonly screenType: string;
  /** Whether a row has its name. */
  readonly isTitled: boolean;
}

/** Parts each row into what it says about its screen and about the location; rows of one location add to one another. */
export function partSheet(rows: readonly Row[]): Sheet {
  const locations = new Map<string, Said>();
  const contrary: Sheet["contrary"][number][] = [];
  const screens = rows.map((row) => {
    const { screen, place } = parted(row.record);
    const id = valueIn(screen, "location_id");
    const { where, problem } = row;
    if (problem !== null || id === "") return { ...row, record: screen };
    const said = locations.get(id) ?? { where, screenType: valueIn(screen, "venue_type_id"), cells: new Map() };
    locations.set(id, said);
    for (const [name, value] of Object.entries(place)) {
      const before = said.cells.get(name);
      if (before === undefined) said.cells.set(name, { value, where });
      else if (!isDeepStrictEqual(before.value, value))
        contrary.push({ where, id, text: `${name}: is another in ${before.where}` });
    }
    return { ...row, record: screen };
  });
  return { screens, locations: [...locations].map(([id, said]) => locationOf(id, said)), contrary };
}

/** What the rows so far say about one location, and which of them says it. */
interface Said {
  readonly where: string;
  readonly screenType: string;
  readonly cells: Map<string, { readonly value: unknown; readonly where: string }>;
}

function locationOf(id: string, { where, screenType, cells }: Said): SheetLocation {
  const place = Object.fromEntries([...cells].map(([name, { value }]) => [name, value]));
  const isTitled = [...cells.keys()].some((name) => columnNamed(sheetColumns, name)?.flag === "location-title");
  return { id, row: { where, record: { location: id, ...place }, problem: null }, screenType, isTitled };
}

type Cells = Readonly<Record<string, unknown>>;

/** What is empty is not said. */
function parted(record: Cells): { readonly screen: Cells; readonly place: Cells } {
  const said = Object.entries(record).filter(([, value]) => value !== "" && value !== null);
  const isPlace = ([name]: readonly [string, unknown]) =>
    placeColumns.includes(columnNamed(sheetColumns, name) as Column);
  return {
    screen: Object.fromEntries(said.filter((entry) => !isPlace(entry))),
    place: Object.fromEntries(said.filter(isPlace)),
  };
}

/** What is said for a field of the screen, under whatever name; empty where nothing is. */
function valueIn(screen: Cells, field: string): string {
  const found = Object.entries(screen).find(([name]) => columnNamed(screenColumns, name)?.fields[0] === field);
  return found === undefined ? "" : String(found[1]);
}
