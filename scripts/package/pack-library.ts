import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Ready } from "../ready.mjs";
import { npm } from "../setup/packages.mjs";
import { ROOT } from "../setup/paths.mjs";
import { run } from "../setup/run.mjs";
import { Stop } from "../setup/stop.mjs";
import type { Library } from "./libraries.ts";
import { type Reach, reachOf } from "./reach.ts";

/** Where the packages are written. */
const FOLDER = `${ROOT}/dist/packages`;
/** `require` of an ES module without a flag; commander asks for the same. */
const ENGINES = { node: "^22.12.0 || >=24.0.0" };
/**
 * Declarations once more, in a folder whose package.json says CommonJS: what `require` gets is the same module, but before
 * TypeScript 5.8 a CommonJS file may import only what is declared as CommonJS.
 */
const COMMONJS = "commonjs";

/** The types of all that a library takes and answers, by names that the declarations of what is built upon it can write. */
const TYPES = { import: { types: "./dist/*.d.ts" }, require: { types: `./${COMMONJS}/*.d.ts` } };

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly author: object;
  readonly homepage: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Packs a library of what is built, and answers with the file. */
export async function packLibrary(library: Library, { signal }: Ready): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "spotloop-library-"));
  try {
    const reach = reachOf(`${ROOT}/dist`, entriesOf(library));
    await copyModules(reach, folder);
    for (const path of library.read)
      await cp(`${ROOT}/${path}`, `${folder}/${path}`, { recursive: true, filter: isRead });
    const manifest: Manifest = JSON.parse(await readFile(`${ROOT}/package.json`, "utf8"));
    await writeFile(`${folder}/package.json`, json(packageJson(library, reach, manifest)));
    await writeFile(`${folder}/README.md`, readmeOf(library, await readFile(`${ROOT}/${library.page}`, "utf8")));
    await cp(`${ROOT}/LICENSE`, `${folder}/LICENSE`);
    return await pack(folder, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function entriesOf({ modules, commands }: Library): string[] {
  const imported = Object.values(modules).flatMap((path) => [`${path}.js`, `${path}.d.ts`]);
  return [...imported, ...Object.values(commands).map((path) => `${path}.js`)];
}

/** Maps are left behind, with the lines that name them. */
async function copyModules({ files }: Reach, folder: string): Promise<void> {
  const write = async (path: string, text: string) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  for (const file of files) {
    const built = readFileSync(`${ROOT}/dist/${file}`, "utf8").replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n");
    // The compiler names sources in declarations, which other compilers take only from a project like this one.
    const text = file.endsWith(".d.ts") ? built.replace(/(["']\.[^"'\n]*)\.ts(?=["'])/g, "$1.js") : built;
    await write(`${folder}/dist/${file}`, text);
    if (file.endsWith(".d.ts")) await write(`${folder}/${COMMONJS}/${file}`, text);
  }
  await write(`${folder}/${COMMONJS}/package.json`, json({ type: "commonjs" }));
}

/** The dashboard's folder is full of what only the compiler reads. */
function isRead(path: string): boolean {
  return !/\.(?:d\.ts|map|tsbuildinfo|md)$/.test(path);
}

function packageJson(library: Library, { packages }: Reach, root: Manifest): object {
  const { name, description, modules, commands, read, optional } = library;
  const pinned = (names: readonly string[]) => Object.fromEntries(names.map((each) => [each, versionOf(each, root)]));
  const entries = Object.entries(modules).map(([path, module]) => {
    const code = `./dist/${module}.js`;
    const imported = { types: `./dist/${module}.d.ts`, default: code };
    return [path, { import: imported, require: { types: `./${COMMONJS}/${module}.d.ts`, default: code } }];
  });
  const bin = Object.entries(commands).map(([command, module]) => [command, `dist/${module}.js`]);
  const files = [...new Set(["dist", COMMONJS, ...read.map((path) => path.split("/", 1)[0])])];
  return {
    name,
    version: root.version,
    description,
    license: root.license,
    author: root.author,
    homepage: root.homepage,
    type: "module",
    engines: ENGINES,
    sideEffects: false,
    files,
    exports: { ...Object.fromEntries(entries), "./types/*": TYPES, "./package.json": "./package.json" },
    ...(bin.length === 0 ? {} : { bin: Object.fromEntries(bin) }),
    dependencies: pinned(packages),
    ...(optional.length === 0 ? {} : { optionalDependencies: pinned(optional) }),
  };
}

function versionOf(name: string, { dependencies }: Manifest): string {
  const version = dependencies[name];
  if (version !== undefined) return version;
  throw new Stop("Packing", `${name} is no dependency of package.json.`, `npm install --save-exact ${name}`);
}

const PART = "## In a program of your own\n";

/** One part of a page, which so is read here and in the registry alike. */
function readmeOf({ name, description, page }: Library, text: string): string {
  const [, part] = text.split(PART);
  if (part === undefined)
    throw new Stop("Packing", `${page} has no part "${PART.trim()}".`, "Give it back its heading.");
  return `# ${name}\n\n${description}.\n\n${part.split(/^## /m, 1)[0]?.trim()}\n`;
}

async function pack(folder: string, signal: AbortSignal): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  const [command, ...first] = npm();
  let file = "";
  const { ok, said } = await run(command, [...first, "pack", "--ignore-scripts", "--pack-destination", FOLDER], {
    cwd: folder,
    signal,
    shell: process.platform === "win32" && first.length === 0,
    hear(line) {
      if (/^\S+\.tgz$/.test(line)) file = line;
    },
  });
  if (!ok || file === "") throw new Stop("Packing", said, "Mend what npm complains about.");
  return `${FOLDER}/${file}`;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
