import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, copyFile, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";

/** The unit of `Installed-Size`. */
const KIB = 1024;

/**
 * Builds a Debian package with `dpkg-deb`, as fpm would: files below `/etc` are the operator's to change unless
 * the package owns them, everything belongs to root, and nothing but the package itself is left behind.
 *
 * @param {import("./fpm-arguments.mjs").Wanted} wanted
 * @returns {Promise<void>}
 */
export async function buildDeb({ file, compression, inputs, ownsEtc = false, scripts, fields }) {
  const tree = await mkdtemp(join(tmpdir(), "spotloop-deb-"));
  try {
    await chmod(tree, 0o755);
    for (const { from, to } of inputs) await place(from, join(tree, to));
    const { files, kib } = await settled(tree);
    const control = join(tree, "DEBIAN");
    await mkdir(control);
    await writeFile(join(control, "control"), controlFile({ ...fields, "Installed-Size": String(kib) }));
    await writeFile(join(control, "md5sums"), await sums(tree, files));
    const configuration = files.map((path) => `/${relative(tree, path)}\n`).filter((path) => path.startsWith("/etc/"));
    if (configuration.length > 0 && !ownsEtc) await writeFile(join(control, "conffiles"), configuration.join(""));
    for (const [name, path] of Object.entries(scripts)) {
      await copyFile(path, join(control, name));
      await chmod(join(control, name), 0o755);
    }
    await mkdir(dirname(file), { recursive: true });
    await promisify(execFile)("dpkg-deb", ["--root-owner-group", `-Z${compression}`, "--build", tree, file]);
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

/** @param {string} from @param {string} to */
async function place(from, to) {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

/**
 * Gives folders and files the modes that they have in a package, whatever the umask was, and adds them up.
 *
 * @param {string} tree
 * @returns {Promise<{ files: readonly string[], kib: number }>}
 */
async function settled(tree) {
  const files = [];
  let kib = 0;
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  for (const entry of entries.sort((one, other) => (pathOf(one) < pathOf(other) ? -1 : 1))) {
    const path = pathOf(entry);
    const { mode, size } = await lstat(path);
    if (entry.isDirectory()) await chmod(path, 0o755);
    if (entry.isFile()) {
      await chmod(path, (mode & 0o111) === 0 ? 0o644 : 0o755);
      files.push(path);
    }
    kib += entry.isFile() ? Math.ceil(size / KIB) : 1;
  }
  return { files, kib };
}

/** @param {import("node:fs").Dirent} entry */
function pathOf({ parentPath, name }) {
  return join(parentPath, name);
}

/** @param {Readonly<Record<string, string | undefined>>} fields */
function controlFile(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return given.map(([name, value]) => `${name}: ${value}\n`).join("");
}

/** @param {string} tree @param {readonly string[]} files */
async function sums(tree, files) {
  const lines = [];
  for (const path of files) {
    const sum = createHash("md5")
      .update(await readFile(path))
      .digest("hex");
    lines.push(`${sum}  ${relative(tree, path)}\n`);
  }
  return lines.join("");
}
