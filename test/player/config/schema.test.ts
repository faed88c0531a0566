import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { configJsonSchema } from "../../../src/player/config/schema.ts";

describe("the JSON Schema for editors", () => {
  it("is up to date; if not, run scripts/make-config-docs.ts", () => {
    const file = new URL("../../../assets/config.schema.json", import.meta.url);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(configJsonSchema());
  });

  it("explains every setting", () => {
    const unexplained = Object.entries(settingsOf(configJsonSchema())).filter(([, { description }]) => !description);
    expect(unexplained).toEqual([]);
  });
});

interface Node {
  readonly description?: string;
  readonly properties?: Record<string, Node>;
}

function settingsOf(node: Node, prefix = ""): Record<string, Node> {
  const entries = Object.entries(node.properties ?? {}).map(([key, inner]) =>
    inner.properties === undefined ? { [prefix + key]: inner } : settingsOf(inner, `${prefix}${key}.`),
  );
  return Object.assign({}, ...entries);
}
