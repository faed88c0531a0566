import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildDeb } from "../../../scripts/package/deb.mjs";
import { readFpmArguments } from "../../../scripts/package/fpm-arguments.mjs";
import { buildKioskDeb } from "../../../scripts/package/kiosk-deb.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

function dpkg(...args: string[]): string {
  return execFileSync("dpkg-deb", args, { encoding: "utf8" });
}

/** Each entry as `-rw-r--r-- root/root ./path`. */
function listed(file: string): readonly string[] {
  return dpkg("--contents", file)
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/))
    .map(([mode, owner, , , , path]) => `${mode} ${owner} ${path}`);
}

/** The control files of a package by their names. */
function control(file: string): Readonly<Record<string, string>> {
  const folder = join(temporaryFolder(), "control");
  dpkg("--control", file, folder);
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

async function smallDeb(): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "app", "inner"), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "app", "inner", "text"), "x", { mode: 0o600 });
  writeFileSync(join(folder, "app", "program"), "#!/bin/sh\n");
  chmodSync(join(folder, "app", "program"), 0o700);
  writeFileSync(join(folder, "stop.sh"), "#!/bin/sh\n");
  const file = join(folder, "out", "small.deb");
  await buildDeb({
    ...{ file, compression: "xz", scripts: { prerm: join(folder, "stop.sh") } },
    inputs: [
      { from: `${folder}/app/`, to: "/opt/Small" },
      { from: join(folder, "app", "inner", "text"), to: "/etc/small/text" },
    ],
    fields: {
      Package: "small",
      Version: "1",
      Architecture: "all",
      Maintainer: "A <a@b.example>",
      Description: "Small",
    },
  });
  return file;
}

describe("a Debian package", () => {
  it("belongs to root, with modes that do not depend on who built it", async () => {
    const entries = listed(await smallDeb());
    expect(entries).toContain("drwxr-xr-x root/root ./opt/Small/inner/");
    expect(entries).toContain("-rw-r--r-- root/root ./opt/Small/inner/text");
    expect(entries).toContain("-rwxr-xr-x root/root ./opt/Small/program");
  });

  it("leaves what is in /etc to the operator, sums up its files and brings its scripts", async () => {
    const { conffiles, md5sums, prerm } = control(await smallDeb());
    expect(conffiles).toBe("/etc/small/text\n");
    expect(md5sums?.match(/^[0-9a-f]{32} {2}\S+$/gm)).toHaveLength(3);
    expect(prerm).toBe("#!/bin/sh\n");
  });
});

describe("the player's package", () => {
  it("has no file that dpkg would look for in the player's own folder, and remove where a link there leads to", async () => {
    const { deb } = parse(readFileSync(join(ROOT, "electron-builder.yml"), "utf8")) as { deb: { fpm: string[] } };
    const file = join(temporaryFolder(), "player.deb");
    const wanted = readFpmArguments(["-s", "dir", "-t", "deb", "--package", file, ...deb.fpm]);
    const fields = { Package: "player", Version: "1", Architecture: "all", Maintainer: "A <a@b.example>" };
    const inputs = wanted.inputs.map(({ from, to }) => ({ from: join(ROOT, from), to }));
    await buildDeb({ ...wanted, inputs, scripts: {}, fields: { ...fields, Description: "Player" } });
    expect(listed(file)).toContain("-rw-r--r-- root/root ./etc/spotloop/config.example.json");
    expect(Object.keys(control(file))).not.toContain("conffiles");
  });
});

describe("the package that makes a machine a kiosk", () => {
  it("has every file of assets/kiosk, and goes with one version of the player", async () => {
    const about = { version: "1.2.0~standin", maintainer: "A <a@b.example>", homepage: "https://b.example" };
    const file = await buildKioskDeb({ ...about, folder: temporaryFolder() });
    const files = listed(file).filter((entry) => entry.startsWith("-"));
    const scripts = Object.keys(control(file)).filter((name) => /^p(?:ost|re)(?:inst|rm)$/.test(name));
    expect(files.length + scripts.length).toBe(readdirSync(join(ROOT, "assets", "kiosk")).length);
    expect(dpkg("--field", file, "Architecture")).toBe("all\n");
    expect(dpkg("--field", file, "Depends")).toContain("spotloop (= 1.2.0~standin)");
  });
});

it.each(
  ["assets/linux", "assets/kiosk"].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => /\.(?:sh|tpl)$/.test(name))
      .map((name) => join(folder, name)),
  ),
)("%s can be read by the shell that dpkg runs it with", (path) => {
  execFileSync("sh", ["-n", join(ROOT, path)]);
});
