import type { Environment } from "../../player/config/environment.ts";

/**
 * The value of `LANGUAGE` by which Chromium tells pages languages alone, or null where the environment needs none. Of itself it
 * hands them the names of locales that are no languages, as `c` for systemd's usual `C.UTF-8` and `de-DE@euro`, and a page
 * fails that has a date written as its viewer's languages have it: `toLocaleDateString(navigator.languages)`.
 */
export function pageLanguages(env: Environment): string | null {
  const locales = (env.LANGUAGE || env.LC_ALL || env.LC_MESSAGES || env.LANG || "").split(":").filter(Boolean);
  if (locales.every((locale) => !locale.includes("@") && isLanguage(languageOf(locale)))) return null;
  const languages = new Set(locales.map(languageOf).filter(isLanguage));
  return languages.size === 0 ? "en_US" : [...languages].join(":");
}

/** `de_DE` of `de_DE.UTF-8@euro`. */
function languageOf(locale: string): string {
  return locale.replace(/[.@].*$/, "");
}

function isLanguage(name: string): boolean {
  // Its form is that of a language.
  if (/^posix$/i.test(name)) return false;
  try {
    return Intl.getCanonicalLocales(name.replaceAll("_", "-")).length > 0;
  } catch {
    return false;
  }
}

/** Where a system has the files of time zones, whichever of their kinds. */
const ZONE_FILES = /^\/usr\/share\/(?:lib\/)?zoneinfo\/(?:(?:posix|right)\/)?/;

/**
 * The name of the zone whose file `TZ` names, as the C library takes it, or null for the system's own; undefined where `TZ` is to
 * stay as it is. JavaScript knows zones by their names alone: with a file pages have UTC, and this process no summer time.
 */
export function zoneName({ TZ = "" }: Environment): string | null | undefined {
  const file = TZ.replace(/^:/, "");
  if (file === "/etc/localtime") return null;
  return ZONE_FILES.test(file) ? file.replace(ZONE_FILES, "") : undefined;
}
