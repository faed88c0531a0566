/** A place in the three-level hierarchy by which locations and screens are classified (contract, "Venue type"). */
export interface VenueType {
  readonly id: string;
  readonly label: string;
  /** `null` on level 1. */
  readonly parent_id: string | null;
  /** 1 is a category, 2 a venue type, 3 a sub-venue type. */
  readonly level: 1 | 2 | 3;
  /** Whether a location or screen can have it: levels 2 and 3. */
  readonly selectable: boolean;
  readonly description: string | null;
}

/** The hierarchy by id. */
export type VenueTree = ReadonlyMap<string, VenueType>;

/** Whether a location can be of this type: it must be on level 2. */
export function fitsLocation(tree: VenueTree, id: string): boolean {
  return tree.get(id)?.level === 2;
}

/** Whether a screen of one type can stand at a location of another: it must be the same one or a child of it. */
export function fitsScreen(tree: VenueTree, id: string, locationTypeId: string): boolean {
  return tree.has(id) && (id === locationTypeId || tree.get(id)?.parent_id === locationTypeId);
}

/** A type's name for people: labels on level 3 repeat across the tree, so they come with their parent's (D2). */
export function venueTypeName(tree: VenueTree, id: string): string {
  const type = tree.get(id);
  if (type === undefined) return id;
  const parent = type.level === 3 && type.parent_id !== null ? tree.get(type.parent_id) : undefined;
  return parent === undefined ? type.label : `${type.label} (${parent.label})`;
}
