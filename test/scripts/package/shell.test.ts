import { spawnSync } from "node:child_process";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onPath } from "../../../scripts/setup/system.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PUBLISH = join(ROOT, "assets/apt-repository/publish.sh");

describe.skipIf(!onPath("shellcheck"))("the shell's scripts that are installed or handed out", () => {
  it.each(globSync("assets/**/*.sh", { cwd: ROOT }))("shellcheck has nothing against %s", (path) => {
    const { stdout, status } = spawnSync("shellcheck", ["--severity=warning", path], { cwd: ROOT, encoding: "utf8" });
    expect([stdout, status]).toEqual(["", 0]);
  });
});

/** A vendor with a key and a repository in a folder of its own. */
function vendor() {
  const folder = join(temporaryFolder(), "repository");
  const publish = (...args: readonly string[]) => {
    const env = { ...process.env, SPOTLOOP_REPOSITORY: folder };
    const { stdout, stderr, status } = spawnSync(PUBLISH, [...args], { encoding: "utf8", env });
    return { said: stdout + stderr, code: status };
  };
  const read = (path: string) => readFileSync(join(folder, "public", path), "utf8");
  return { folder, publish, read };
}

/** Both packages of a version, with nothing in them. */
function packagesOf(version: string): readonly string[] {
  const folder = temporaryFolder();
  return ["spotloop", "spotloop-kiosk"].map((name) => {
    const tree = mkdtempSync(join(folder, name));
    mkdirSync(join(tree, "DEBIAN"));
    const fields = { Package: name, Source: "spotloop", Version: version, Architecture: "all" };
    const lines = Object.entries({ ...fields, Maintainer: "A <a@vendor.example>", Description: "nothing" });
    writeFileSync(join(tree, "DEBIAN/control"), lines.map((line) => `${line.join(": ")}\n`).join(""));
    const file = join(folder, `${name}_${version}_all.deb`);
    expect(spawnSync("dpkg-deb", ["--root-owner-group", "--build", tree, file]).status).toBe(0);
    return file;
  });
}

const canPublish = ["aptly", "apt-ftparchive", "gpg", "dpkg-deb"].every(onPath);

describe.skipIf(!canPublish)("the vendor's repository", { timeout: 120_000 }, () => {
  it("has in stable what was taken there, for its share of the machines, and in canary all; older versions stay", () => {
    const { publish, read } = vendor();
    expect(publish("key", "Vendor <updates@vendor.example>").code).toBe(0);
    for (const version of ["1.0", "1.1"]) expect(publish("canary", ...packagesOf(version)).code).toBe(0);
    const list = "main/binary-amd64/Packages";
    publish("stable", "1.0");
    expect(read(`dists/stable/${list}`).match(/^Version: 1.0$/gm)).toHaveLength(2);
    expect(publish("stable", "1.1", "20").said).toBe("");
    expect(read(`dists/stable/${list}`).match(/^Phased-Update-Percentage: 20$/gm)).toHaveLength(2);
    expect(
      read(`dists/stable/${list}`)
        .match(/^Version: .*/gm)
        ?.sort(),
    ).toEqual(["1.0", "1.0", "1.1", "1.1"].map((version) => `Version: ${version}`));
    expect(read(`dists/canary/${list}`)).not.toContain("Phased");
    expect(publish("stable", "1.1").code).toBe(0);
    expect(read(`dists/stable/${list}`)).not.toContain("Phased");
  });

  it.each([
    ["11.1.0", "1.1.0"],
    ["1.10", "1.1"],
  ])("keeps the share of %s where %s comes to all machines", (staged, whole) => {
    const { publish, read } = vendor();
    publish("key", "Vendor <updates@vendor.example>");
    for (const version of [staged, whole]) publish("canary", ...packagesOf(version));
    expect(publish("stable", staged, "10").code).toBe(0);
    expect(publish("stable", whole).code).toBe(0);
    const entries = read("dists/stable/main/binary-amd64/Packages").split("\n\n");
    const phased = entries.filter((entry) => entry.includes("\nPhased-Update-Percentage: 10"));
    expect(phased.map((entry) => /^Version: (.*)$/m.exec(entry)?.[1])).toEqual([staged, staged]);
  });

  it("serves what was published last, though a publication before it was killed midway", () => {
    const { folder, publish, read } = vendor();
    publish("key", "Vendor <updates@vendor.example>");
    publish("canary", ...packagesOf("1.0"));
    for (const [version, leftOver] of [
      ["1.1", readlinkSync(join(folder, "public"))],
      ["1.2", "public.0"],
    ] as const) {
      symlinkSync(leftOver, join(folder, "public.new"));
      expect(publish("canary", ...packagesOf(version)).code).toBe(0);
      expect(read("dists/canary/main/binary-amd64/Packages")).toContain(`Version: ${version}\n`);
    }
  });

  it("is signed by its key, list by list", () => {
    const { folder, publish } = vendor();
    publish("key", "Vendor <updates@vendor.example>");
    publish("canary", ...packagesOf("1.0"));
    const keyring = join(folder, "keyring.gpg");
    const env = { ...process.env, GNUPGHOME: join(folder, "keys") };
    spawnSync("gpg", ["--batch", "--output", keyring, "--export"], { env });
    const release = join(folder, "public/dists/canary/InRelease");
    const verified = () => spawnSync("gpgv", ["--keyring", keyring, release]).status;
    expect(verified()).toBe(0);
    expect(readFileSync(release, "utf8")).toMatch(/ main\/binary-amd64\/Packages\.gz$/m);
    writeFileSync(release, readFileSync(release, "utf8").replace("Suite: canary", "Suite: stable"));
    expect(verified()).not.toBe(0);
  });

  it("ends with an error, and serves what it did, where a package cannot be added", () => {
    const { publish, read } = vendor();
    publish("key", "Vendor <updates@vendor.example>");
    expect(publish("canary", ...packagesOf("1.0")).code).toBe(0);
    const served = read("dists/canary/InRelease");
    expect(publish("canary", join(temporaryFolder(), "spotloop_1.1_all.deb")).code).toBe(1);
    expect(read("dists/canary/InRelease")).toBe(served);
  });

  it("lets a web server read what is public, and nobody the key, and takes a folder by its short name", () => {
    const parent = temporaryFolder();
    const env = { ...process.env, SPOTLOOP_REPOSITORY: "repository" };
    const publish = (...args: readonly string[]) =>
      spawnSync("sh", ["-c", 'umask 077; exec "$0" "$@"', PUBLISH, ...args], { cwd: parent, encoding: "utf8", env });
    expect(publish("key", "Vendor <updates@vendor.example>").status).toBe(0);
    expect(publish("canary", ...packagesOf("1.0"))).toMatchObject({ status: 0, stderr: "" });
    const closed = (found: string, path: string) => {
      const open = statSync(join(parent, path)).isDirectory() ? 0o005 : 0o004;
      return (statSync(join(parent, path)).mode & open) === open ? found : `${found} ${path}`;
    };
    const served = globSync("repository/public/**", { cwd: parent });
    expect(served.length).toBeGreaterThan(10);
    expect(["repository", ...served].reduce(closed, "")).toBe("");
    expect(statSync(join(parent, "repository/keys")).mode & 0o077).toBe(0);
  });

  it("refuses a share that is none, a version that is not there, and a second key, and says what it takes", () => {
    const { publish } = vendor();
    publish("key", "Vendor <updates@vendor.example>");
    publish("canary", ...packagesOf("1.0"));
    expect(publish("stable", "1.0", "101")).toMatchObject({ code: 2, said: expect.stringContaining("from 0 to 100") });
    expect(publish("stable", "1.0", "many").code).toBe(2);
    expect(publish("stable", "9.9")).toMatchObject({ code: 1, said: expect.stringContaining("no 9.9 in canary") });
    expect(publish("key", "Another <a@vendor.example>").code).toBe(1);
    expect(publish("nonsense")).toMatchObject({ code: 2, said: expect.stringContaining("publish.sh canary FILE.deb") });
  });
});

it("what apt and systemd call of the kiosk's package can be run", () => {
  const called = ["assets/kiosk/update-guard.sh", "assets/kiosk/play.sh", "assets/apt-repository/publish.sh"];
  expect(called.filter((path) => (statSync(join(ROOT, path)).mode & 0o111) !== 0o111)).toEqual([]);
});
