import { parseArgs } from "node:util";

/**
 * A Debian package as electron-builder asks fpm for it.
 * @typedef {object} Wanted
 * @property {string} file where the package is to be written
 * @property {string} compression as `dpkg-deb -Z` names it
 * @property {readonly { from: string, to: string }[]} inputs files and folders, and where each goes
 * @property {boolean} [ownsEtc] whether files below `/etc` are the package's to replace, and not the operator's to change
 * @property {Readonly<Record<string, string>>} scripts maintainer scripts by the name that dpkg has for them
 * @property {Readonly<Record<string, string | undefined>>} fields of its control file
 */

/** Where fpm's options for maintainer scripts go. */
const SCRIPTS = /** @type {const} */ ({
  "before-install": "preinst",
  "after-install": "postinst",
  "before-remove": "prerm",
  "after-remove": "postrm",
});

const TEXT = /** @type {const} */ ({ type: "string" });
const LIST = /** @type {const} */ ({ type: "string", multiple: true });

const OPTIONS = /** @type {const} */ ({
  source: { ...TEXT, short: "s" },
  target: { ...TEXT, short: "t" },
  depends: { ...LIST, short: "d" },
  "deb-recommends": LIST,
  "deb-compression": { ...TEXT, default: "xz" },
  "deb-priority": { ...TEXT, default: "optional" },
  "deb-no-default-config-files": { type: "boolean", default: false },
  ...{ "before-install": TEXT, "after-install": TEXT, "before-remove": TEXT, "after-remove": TEXT },
  ...{ name: TEXT, version: TEXT, architecture: TEXT, maintainer: TEXT, vendor: TEXT, url: TEXT, license: TEXT },
  ...{ description: TEXT, category: { ...TEXT, default: "misc" }, package: TEXT },
  force: { type: "boolean" },
});

/**
 * Reads fpm's arguments. An option that is not known is an error: what it asks for would be missing from the package.
 *
 * @param {readonly string[]} args
 * @returns {Wanted}
 */
export function readFpmArguments(args) {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  const { source, target, description = "", package: file } = values;
  if (source !== "dir" || target !== "deb") throw new Error(`makes -s dir -t deb, not -s ${source} -t ${target}`);
  if (file === undefined) throw new Error("--package is missing: the file to write");
  return {
    file,
    // fpm has another name for it than dpkg-deb.
    compression: values["deb-compression"].replace(/^gz$/, "gzip"),
    inputs: positionals.map(input),
    ownsEtc: values["deb-no-default-config-files"],
    scripts: Object.fromEntries(
      Object.entries(SCRIPTS).flatMap(([option, name]) => {
        const path = values[/** @type {keyof typeof SCRIPTS} */ (option)];
        return path === undefined ? [] : [[name, path]];
      }),
    ),
    fields: {
      Package: values.name,
      Version: values.version,
      Architecture: values.architecture,
      Maintainer: values.maintainer,
      Depends: values.depends?.join(", "),
      Recommends: values["deb-recommends"]?.join(", "),
      Section: values.category,
      Priority: values["deb-priority"],
      Homepage: values.url,
      Description: folded(description),
    },
  };
}

/** @param {string} text `FROM=TO`; a folder that ends in a slash goes there with what is in it */
function input(text) {
  const at = text.indexOf("=");
  if (at < 1) throw new Error(`"${text}" does not say where it goes: FROM=TO`);
  return { from: text.slice(0, at), to: text.slice(at + 1) };
}

/** A first line, and paragraphs below it, as a control file has them. @param {string} text */
function folded(text) {
  const [first = "", ...rest] = text.split("\n").map((line) => line.trim());
  return [first, ...rest.map((line) => ` ${line || "."}`)].join("\n");
}
