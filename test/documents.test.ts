import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { runCli } from "../src/cli/main.ts";

const ROOT = join(import.meta.dirname, "..");
const DOCS = readdirSync(join(ROOT, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : []));
const PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...DOCS];

function read(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, found = ""]) => found))];
}

/** The anchors of a page, as they are made of its headings. */
function anchors(page: string): readonly string[] {
  const headings = matches(read(page), /^#+ (.+)$/gm);
  return headings.map((one) =>
    one
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

describe.each(PAGES)("%s", (page) => {
  const text = read(page);

  it("is short enough to be read", () => {
    expect(text.length).toBeLessThan(page === "README.md" ? 9_000 : 25_000);
  });

  it("links to what is there", () => {
    const links = matches(text, /\]\(([^)\s]+)\)/g).filter((link) => !/^[a-z]+:/.test(link));
    const broken = links.filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchors(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it("names files that are there", () => {
    const paths = matches(text, /`((?:src|test|scripts|renderer|assets|docs)\/[\w./-]+)`/g);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("names scripts that are there", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = matches(text, /npm run ([a-z:-]+[a-z])/g);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("names commands that there are", async () => {
    const print = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    await runCli(["--help"]);
    const help = print.mock.calls.join("");
    print.mockRestore();
    const named = matches(text, /(?:`|\$ )spotloop ([a-z][a-z-]*)/g);
    expect(named.filter((name) => !new RegExp(`^  ${name}\\b`, "m").test(help))).toEqual([]);
  });
});

it("every page of the docs can be found from the README or from another page", () => {
  const linked = PAGES.flatMap((page) =>
    matches(read(page), /\]\(([^)\s#]+)/g).map((link) => join(dirname(page), link)),
  );
  expect(DOCS.filter((page) => !linked.includes(page))).toEqual([]);
});
