import { expect, it } from "vitest";
import { pageLanguages } from "../../../src/main/boot/languages.ts";

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
