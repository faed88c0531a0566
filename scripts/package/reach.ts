import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { posix } from "node:path";

/** What modules are made of once they are loaded, and typed. */
export interface Reach {
  /** Paths from the folder that was searched, with forward slashes. */
  readonly files: readonly string[];
  /** The packages that they import, sorted. */
  readonly packages: readonly string[];
}

const STATEMENT = /\b(?:import|export)\s+(?:type\s+)?(?:[\w*\s{},$]+?\s+from\s+)?["']([^"']+)["']/g;
const CALL = /\bimport\(\s*["']([^"']+)["']/g;

/**
 * All that modules import, and what that imports, as the compiler has written it: code from code, and declarations from
 * declarations. `modules`: paths below `folder`, each with its ending.
 */
export function reachOf(folder: string, modules: readonly string[]): Reach {
  const packages = new Set<string>();
  const files = new Set(modules);
  // A set goes on through what is added to it meanwhile.
  for (const file of files) {
    for (const from of importsIn(readFileSync(`${folder}/${file}`, "utf8"))) {
      if (!from.startsWith(".")) {
        if (!isBuiltin(from)) packages.add(packageOf(from));
        continue;
      }
      const target = posix.join(posix.dirname(file), from);
      const reached = file.endsWith(".d.ts") ? target.replace(/\.[jt]s$/, ".d.ts") : target;
      if (!existsSync(`${folder}/${reached}`)) throw new Error(`${file} imports ${from}, which was not built`);
      files.add(reached);
    }
  }
  return { files: [...files].sort(), packages: [...packages].sort() };
}

/** Strings are kept and comments are not, since those give examples. */
function importsIn(text: string): string[] {
  const code = text.replace(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|(?<![:\\])\/\/.*/g,
    (_, string) => string ?? "",
  );
  return [...code.matchAll(STATEMENT), ...code.matchAll(CALL)].map(([, from = ""]) => from);
}

/** "@scope/name" of `@scope/name/part`, "name" of `name/part`. */
function packageOf(from: string): string {
  return from.split("/", from.startsWith("@") ? 2 : 1).join("/");
}
