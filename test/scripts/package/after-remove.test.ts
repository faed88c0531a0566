import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const TEMPLATE = join(import.meta.dirname, "..", "..", "..", "assets", "linux", "after-remove.tpl");
const IS_LINUX = process.platform === "linux";

it.skipIf(!IS_LINUX)("a purge leaves proofs, record and key of what the player wrote", () => {
  const { at, purge } = machine("");
  const precious = ["proofs.db", "quarantine", "record.key"];
  const written = ["media.db", "remote.db", "remote.db-wal", "overrides.json", "remote-bundle.json", "health.json"];
  for (const name of [...precious, ...written]) writeFileSync(at(`data/${name}`), "x");
  purge();
  expect(readdirSync(at("data")).sort()).toEqual(precious);
});

it.skipIf(!IS_LINUX)("a purge that leaves nothing deletes the user that the package made", () => {
  expect(machine("/var/lib/spotloop").purge()).toBe("userdel spotloop\n");
});

it.skipIf(!IS_LINUX)("a purge deletes no user who was there before the package", () => {
  expect(machine("/home/spotloop").purge()).toBe("");
});

/** A folder that stands in for a machine's disk; `home` is that of its user `spotloop`, or empty where there is none. */
function machine(home: string): { at(name: string): string; purge(): string } {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const placed = (text: string) =>
    text
      .replaceAll("/var/lib/spotloop", at("data"))
      .replaceAll("/etc/", `${at("etc")}/`)
      .replaceAll("/run/systemd/system", at("none"));
  for (const name of ["data", "etc/apparmor.d", "etc/spotloop"]) mkdirSync(at(name), { recursive: true });
  const account = placed(`spotloop:x:997:997::${home}:/usr/sbin/nologin`);
  const answer = home === "" ? "exit 2" : `[ "$1" = passwd ] && echo ${account}`;
  writeFileSync(at("getent"), `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
  writeFileSync(at("userdel"), `#!/bin/sh\necho "userdel $@" >>${at("deleted")}\n`, { mode: 0o755 });
  writeFileSync(at("postrm"), placed(readFileSync(TEMPLATE, "utf8")));
  writeFileSync(at("deleted"), "");
  return {
    at,
    purge() {
      const env = { PATH: `${folder}:${process.env.PATH}` };
      expect(spawnSync("sh", [at("postrm"), "purge"], { env }).status).toBe(0);
      return readFileSync(at("deleted"), "utf8");
    },
  };
}
