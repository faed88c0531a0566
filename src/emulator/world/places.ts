/** What a position tells about a place: an IANA zone and an ISO 3166-1 alpha-3 country, `null` where it has none (B15). */
export interface Place {
  readonly timezone: string | null;
  readonly country: string | null;
}

/** Looks up a position in degrees; half a position is nowhere. */
export type Places = (lat: number | null, long: number | null) => Place;

/** Reads the maps. They take tens of milliseconds, so only who starts an emulator pays for them. */
export async function loadPlaces(): Promise<Places> {
  const [{ default: zoneAt }, { iso1A3Code }] = await Promise.all([
    import("@photostructure/tz-lookup"),
    import("@rapideditor/country-coder"),
  ]);
  return (lat, long) => {
    if (lat === null || long === null) return { timezone: null, country: null };
    // "territory": Puerto Rico and Hong Kong have codes of their own in ISO 3166-1.
    return { timezone: zoneAt(lat, long), country: iso1A3Code([long, lat], { level: "territory" }) };
  };
}
