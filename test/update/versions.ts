import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPackageWithOptions, extractAll } from "@electron/asar";
import { run } from "../../scripts/setup/run.mjs";

/** What makes a later version of the built one. */
export interface Change {
  readonly version: string;
  /** Changes the application's own files; the folder is that with its package.json. */
  readonly edit?: (app: string) => void;
}

export interface Packages {
  readonly version: string;
  /** The player's first, the kiosk's second. */
  readonly files: readonly [string, string];
}

/** Makes both packages of a later version out of the built ones, in `folder`. */
export async function laterVersion(
  built: readonly string[],
  { version, edit = () => {} }: Change,
  folder: string,
  signal: AbortSignal,
): Promise<Packages> {
  const files: string[] = [];
  for (const [index, deb] of built.entries()) {
    const file = join(folder, `${index === 0 ? "spotloop" : "spotloop-kiosk"}_${version}.deb`);
    files.push(file);
    if (existsSync(file)) continue;
    const tree = mkdtempSync(join(folder, "tree-"));
    try {
      await command(signal, "dpkg-deb", "--raw-extract", deb, tree);
      const control = join(tree, "DEBIAN", "control");
      const fields = readFileSync(control, "utf8").replace(/^Version: .*/m, `Version: ${version}`);
      writeFileSync(control, fields.replace(/spotloop \(= [^)]*\)/, `spotloop (= ${version})`));
      const [, name = ""] = /^Package: (.*)/m.exec(fields) ?? [];
      if (name === "spotloop") await editApplication(join(tree, "opt/Spotloop/resources"), version, edit);
      await command(signal, "dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, `${file}.new`);
      renameSync(`${file}.new`, file);
    } finally {
      rmSync(tree, { recursive: true, force: true });
    }
  }
  return { version, files: files as [string, string] };
}

/** Unpacks the application's archive, has it edited, and packs it again. */
async function editApplication(resources: string, version: string, edit: (app: string) => void): Promise<void> {
  const [archive, app] = [join(resources, "app.asar"), join(resources, "app")];
  extractAll(archive, app);
  cpSync(`${archive}.unpacked`, app, { recursive: true });
  editFile(join(app, "package.json"), (text) => JSON.stringify({ ...JSON.parse(text), version }));
  edit(app);
  rmSync(archive);
  rmSync(`${archive}.unpacked`, { recursive: true });
  await createPackageWithOptions(app, archive, { unpack: "*.node" });
  rmSync(app, { recursive: true });
}

/** Replaces what is in a file; throws where that changes nothing. */
export function editFile(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, "utf8");
  const after = change(before);
  if (after === before) throw new Error(`${path} is not as this test knows it`);
  writeFileSync(path, after);
}

/** The same for a module of the player: as commands load it, and in the files that Electron starts, one of which has it. */
function editModule(app: string, module: string, change: (text: string) => string): void {
  const bundle = join(app, "dist/app");
  const files = readdirSync(bundle).map((name) => join(bundle, name));
  const holder = files.find((file) => {
    const text = readFileSync(file, "utf8");
    return change(text) !== text;
  });
  for (const file of [join(app, "dist", module), holder ?? bundle]) editFile(file, change);
}

/** A step that a later version's store goes through: `step` is JavaScript, as it stands in the list of them. */
export function withMigration(step: string): (app: string) => void {
  return (app) =>
    editModule(app, "player/proofs/proof-records.js", (text) =>
      text.replace(/(const proofMigrations = \[[\s\S]*?),?\n\];/, `$1,\n    ${step},\n];`),
    );
}

/** A player that looks well and sends no proof. */
export function provesNothing(app: string): void {
  editModule(app, "player/proofs/courier.js", (text) => text.replace('if (this.#state !== "new")', "if (true)"));
}

/** Runs a program; throws with what it said where it fails. */
export async function command(signal: AbortSignal, program: string, ...args: readonly string[]): Promise<string> {
  const { ok, said } = await run(program, [...args], { signal });
  if (!ok) throw new Error(`${program} ${args.join(" ")}:\n${said}`);
  return said;
}
