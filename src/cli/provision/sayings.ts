import type { Written } from "../vendor/written.ts";

/** Where it is said what a flag would say: `setup.json: lat` for `--lat`. Empty where the flags themselves say it. */
export type Sayings = ReadonlyMap<string, string>;

/** The sayings of a file that has these keys; the flags among `overruled` say it themselves. */
export function sayingsOf(file: string, keys: readonly string[], overruled: object): Sayings {
  const said = keys.filter((key) => !(key in overruled));
  return new Map(said.map((key) => [flagOf(key), `${file}: ${key}`]));
}

/** What was written, its flaws and fields named by where they were said. */
export function asSaid(written: Written, sayings: Sayings = new Map()): Written {
  const saying = (name: string) => sayings.get(name) ?? name;
  return {
    fields: written.fields,
    flaws: written.flaws.map((flaw) => ({ ...flaw, where: saying(flaw.where) })),
    nameOf: (field) => saying(written.nameOf(field)),
  };
}

/** `--venue-type` for `venueType`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
