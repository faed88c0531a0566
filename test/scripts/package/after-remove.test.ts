import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const TEMPLATE = join(import.meta.dirname, "..", "..", "..", "assets", "linux", "after-remove.tpl");

it.skipIf(process.platform !== "linux")("a purge leaves proofs, record and key of what the player wrote", () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const precious = ["proofs.db", "quarantine", "record.key"];
  const written = ["media.db", "remote.db", "remote.db-wal", "overrides.json", "remote-bundle.json", "health.json"];
  for (const name of ["data", "etc/apparmor.d", "etc/spotloop"]) mkdirSync(at(name), { recursive: true });
  for (const name of [...precious, ...written]) writeFileSync(at(`data/${name}`), "x");
  for (const name of ["getent", "userdel", "groupdel"]) writeFileSync(at(name), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const text = readFileSync(TEMPLATE, "utf8")
    .replaceAll("/var/lib/spotloop", at("data"))
    .replaceAll("/etc/", `${at("etc")}/`)
    .replaceAll("/run/systemd/system", at("none"));
  writeFileSync(at("postrm"), text);
  const env = { PATH: `${folder}:${process.env.PATH}` };
  expect(spawnSync("sh", [at("postrm"), "purge"], { env }).status).toBe(0);
  expect(readdirSync(at("data")).sort()).toEqual(precious);
});
