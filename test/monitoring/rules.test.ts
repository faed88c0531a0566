import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { grafanaBoard } from "../../scripts/grafana-board.ts";
import { metricDescriptions } from "../../scripts/metrics-table.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { checkBy, lackingCheckers } from "../support/monitoring.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "assets", "monitoring");
const RULES = "spotloop.rules.yml";
const CASES = "spotloop.rules.test.yml";

const rules = readFileSync(join(FOLDER, RULES), "utf8");
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);

describe("what comes for those who monitor a fleet", () => {
  it("has a board as its script makes it; if not, run scripts/make-grafana-board.ts", () => {
    expect(JSON.parse(readFileSync(join(FOLDER, "spotloop.board.json"), "utf8"))).toEqual(grafanaBoard());
  });

  it.each([RULES, "spotloop.board.json"])("names in %s only metrics that players have, and recorded ones", (file) => {
    const recorded = [...rules.matchAll(/- record: (\S+)/g)].map(([, name]) => name);
    const parts = ({ name, type }: { name: string; type: string }) =>
      type === "histogram" ? ["_bucket", "_sum", "_count"].map((part) => name + part) : [name];
    const known = [...metricDescriptions().flatMap(parts), ...recorded];
    const named = readFileSync(join(FOLDER, file), "utf8").match(/\bspotloop[_:][a-z_:]+/g) ?? [];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it("has a line in the docs for each alert, and no other", () => {
    const page = readFileSync(join(FOLDER, "..", "..", "docs", "monitoring.md"), "utf8");
    const told = [...page.matchAll(/^\| `(Spotloop\w+)` \|/gm)].map(([, name]) => name);
    expect(told).toEqual(alerts);
  });

  it("is all named in the docs", () => {
    const page = readFileSync(join(FOLDER, "..", "..", "docs", "monitoring.md"), "utf8");
    expect(readdirSync(FOLDER).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

const lacking = lackingCheckers("promtool", "amtool");

describe.skipIf(lacking !== null)(`what Prometheus has to say of it (${lacking ?? "its programs are there"})`, () => {
  it.each([
    ["promtool", "check", "rules", RULES],
    ["promtool", "test", "rules", CASES],
    // Their certificates are where they are used.
    ["promtool", "check", "config", "--syntax-only", "server.yml"],
    ["promtool", "check", "config", "--syntax-only", "--agent", "agent.yml"],
    ["amtool", "check-config", "alertmanager.yml"],
  ] as const)("%s %s %s %s is content", (program, ...args) => {
    const { ok, said } = checkBy(program, args, { cwd: FOLDER });
    expect([ok, ok ? "" : said]).toEqual([true, ""]);
  });

  it("can read all that the board asks for", () => {
    const exprs = [...JSON.stringify(grafanaBoard()).matchAll(/"expr":("(?:[^"\\]|\\.)*")/g)].map(([, expr]) => expr);
    expect(exprs.length).toBeGreaterThan(20);
    const asRules = exprs.map((expr, index) => `      - record: board:${index}\n        expr: ${expr}\n`).join("");
    const path = join(temporaryFolder(), "board.yml");
    writeFileSync(path, `groups:\n  - name: board\n    rules:\n${asRules}`);
    const { ok, said } = checkBy("promtool", ["check", "rules", path]);
    expect([ok, said]).toEqual([true, expect.stringContaining(`${exprs.length} rules found`)]);
  });

  it("has a case for each alert in which it fires", () => {
    const never = alerts.reduce((changed, alert) => withExpr(changed, `alert: ${alert}`, "vector(0) > 1"), rules);
    expect(failingIn(never)).toEqual(alerts);
  });

  it("has a case for each alert about screens in which it would fire if a closed or unapproved one mattered", () => {
    const always = "0 * max without (state) (spotloop_ads_state)";
    const aboutScreens = ["ScreenDark", "NothingProved", "SoftwareRendering", "Portal", "PlayerGone"];
    const changed = withExpr(rules, "record: spotloop:screen_due_timestamp_seconds", always);
    expect(failingIn(changed)).toEqual(aboutScreens.map((name) => `Spotloop${name}`));
  });
});

/** Rules, with another expression for one of them. */
function withExpr(from: string, rule: string, expr: string): string {
  const [before = "", after = ""] = from.split(`- ${rule}\n`);
  const replaced = after.replace(/^ {8}expr:.*\n(?: {10,}.*\n)*/, `        expr: ${expr}\n`);
  return `${before}- ${rule}\n${replaced}`;
}

/** The alerts whose cases fail on these rules. */
function failingIn(changed: string): readonly string[] {
  const cwd = temporaryFolder();
  cpSync(join(FOLDER, CASES), join(cwd, CASES));
  writeFileSync(join(cwd, RULES), changed);
  const { said } = checkBy("promtool", ["test", "rules", CASES], { cwd });
  return [...new Set([...said.matchAll(/alertname: ?(\w+)/g)].map(([, name = ""]) => name))];
}
