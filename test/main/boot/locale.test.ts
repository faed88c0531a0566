import { expect, it } from "vitest";
import { pageLanguages, zoneName } from "../../../src/main/boot/locale.ts";

it.each([
  ["none is named", {}, null],
  ["a desktop's is one", { LANG: "de_DE.UTF-8" }, null],
  ["several are named", { LANG: "de_DE.UTF-8", LANGUAGE: "de_AT:de:en" }, null],
  ["those named are languages, whatever the locale", { LANG: "C.UTF-8", LANGUAGE: "fr" }, null],
  ["systemd's usual locale is none", { LANG: "C.UTF-8" }, "en_US"],
  ["it is written otherwise", { LANG: "c.utf8" }, "en_US"],
  ["it is of no country", { LANG: "POSIX" }, "en_US"],
  ["it stands above the language", { LANG: "de_DE.UTF-8", LC_ALL: "C.UTF-8" }, "en_US"],
  ["LANGUAGE is empty", { LANG: "C.UTF-8", LANGUAGE: "" }, "en_US"],
  ["its money is told", { LANG: "de_DE@euro" }, "de_DE"],
  ["its script is told", { LANG: "sr_RS.UTF-8@latin" }, "sr_RS"],
  ["of several one is none", { LANGUAGE: "fr_FR@euro:fr:C" }, "fr_FR:fr"],
])("where %s, pages are told languages", (_, env, expected) => {
  expect(pageLanguages(env)).toBe(expected);
});

it.each([
  ["no variable", undefined, undefined],
  ["a name", "Europe/Berlin", undefined],
  ["a name as the C library has it", ":Europe/Berlin", undefined],
  ["the system's file", "/etc/localtime", null],
  ["the same, as saves the C library a look at each call", ":/etc/localtime", null],
  ["a zone's file", "/usr/share/zoneinfo/America/Argentina/Ushuaia", "America/Argentina/Ushuaia"],
  ["one of another kind", ":/usr/share/zoneinfo/posix/Europe/Berlin", "Europe/Berlin"],
  ["a file of somebody's own", "/srv/zone", undefined],
])("of a time zone that is told by %s", (_, TZ, expected) => {
  expect(zoneName({ TZ })).toBe(expected);
});
