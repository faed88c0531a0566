import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { allChecks, examine, type Finding } from "../../src/cli/conformance/examine.ts";
import { subjectAt } from "../../src/cli/conformance/subject.ts";
import { runCli } from "../../src/cli/main.ts";
import { behaviours } from "../../src/emulator/behaviour/table.ts";
import type { Emulator } from "../../src/emulator/main.ts";
import { demoWorld } from "../../src/emulator/world/demo.ts";
import { MONDAY_8, running } from "../emulator/running.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

function targetOf({ baseUrl, controlUrl, orgToken, screenId }: Emulator, withControl = true) {
  return { baseUrl, orgToken, screenId, controlUrl: withControl ? controlUrl : null };
}

function wrong(findings: readonly Finding[]): string[] {
  return findings
    .filter(({ verdict }) => verdict !== "passed")
    .map(({ id, verdict, problems }) => `${id} ${verdict}: ${problems[0]}`);
}

/** What the command line prints and says, and what it ends with. */
async function spotloop(...args: string[]) {
  const printed: string[] = [];
  const said: string[] = [];
  const write = process.stdout.write;
  process.stdout.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  const error = vi.spyOn(console, "error").mockImplementation((text) => void said.push(`${text}\n`));
  const restore = () => {
    process.stdout.write = write;
    error.mockRestore();
  };
  onTestFinished(restore);
  const code = await runCli(["conformance", ...args]);
  restore();
  return { code, printed: printed.join(""), said: said.join("") };
}

/** Passes every call on to a service, and lets its answers be changed; by null, the line is cut instead. */
async function standIn(
  baseUrl: string,
  change: (path: string, status: number, body: string) => { status: number; body: string } | null,
) {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "";
    const reply = await fetch(baseUrl + path, { method: request.method ?? "GET" });
    const changed = change(path, reply.status, await reply.text());
    if (changed === null) return void request.socket.destroy();
    const { status, body } = changed;
    response
      .writeHead(status, { "content-type": "application/json", allow: reply.headers.get("allow") ?? "" })
      .end(body);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers every point that the contract leaves open in another way than the emulator, which it passes calls on to. */
async function otherReading(baseUrl: string) {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "GET", url = "" } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const type = request.headers["content-type"];
    const reply = await fetch(baseUrl + url, {
      ...{ method, headers: type === undefined ? {} : { "content-type": type } },
      body: method === "GET" ? null : Buffer.concat(chunks),
    });
    const text = await reply.text();
    if (url.endsWith("/reject") || (url.includes("/cars/") && reply.status === 404))
      return void response.writeHead(reply.status).end(text);
    if (!reply.ok) return void response.writeHead(418).end("<h1>No</h1>");
    response.writeHead(203).end(method === "GET" ? JSON.stringify(JSON.parse(text), withoutNulls) : "");
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The contract says of two fields only that they may be null. */
function withoutNulls(key: string, value: unknown): unknown {
  return value === null && !["parent_id", "rejection_reasons"].includes(key) ? undefined : value;
}

describe("the conformance checks", () => {
  it("call contract what has a chapter there, and a reading what has a row in the table of behaviours", () => {
    const rows = new Set(behaviours.map(({ id }) => id));
    const readings = allChecks.filter(({ id }) => id.split(", ").every((row) => rows.has(row)));

    expect(readings.filter(({ basis }) => basis === "contract")).toEqual([]);
    expect(allChecks.filter((check) => check.basis === "reading" && !readings.includes(check))).toEqual([]);
  });

  it("hold nothing against a service that answers each open point otherwise than the emulator", async () => {
    const emulator = await running();
    const subject = subjectAt({ ...targetOf(emulator), baseUrl: await otherReading(emulator.baseUrl) }, "a1");
    const problems: string[] = [];
    for (const { id, name, basis, run } of allChecks) {
      if (basis === "contract") problems.push(...(await run(subject)).map((problem) => `${id} ${name}: ${problem}`));
    }

    expect(problems).toEqual([]);
  });

  it("find nothing wrong with the emulator", async () => {
    const findings = await examine(targetOf(await running()), "a1");

    expect(wrong(findings)).toEqual([]);
    expect(findings.length).toBeGreaterThan(60);
  });

  it("find nothing wrong with it a second time, nor while time goes by", async () => {
    const emulator = await running();
    emulator.clock.set({ mode: "real" });
    await examine(targetOf(emulator), "a1");

    expect(wrong(await examine(targetOf(emulator), "a2"))).toEqual([]);
  });

  it("find nothing wrong with one that has rate limits, which they wait for on their own clock", async () => {
    const rateLimits = [{ per: "token" as const, calls: 40, seconds: 60 }];
    const emulator = await running({ world: { ...demoWorld(), rateLimits } });

    expect(wrong(await examine(targetOf(emulator), "a1"))).toEqual([]);
    expect(emulator.clock.now()).toBe(MONDAY_8);
  });

  it("change nothing but the count of spots without a control API", async () => {
    const emulator = await running();
    const findings = await examine(targetOf(emulator, false), "a1");
    const methods = new Set(emulator.calls().map(({ method }) => method));

    expect(wrong(findings)).toEqual([]);
    expect([...methods]).toEqual(["GET"]);
    expect(emulator.calls().some(({ route }) => route === "pop")).toBe(false);
  });

  it.each([
    [{ createStatus: 200 }, ["A3"]],
    [{ spotBadToken: 404 }, ["A5"]],
    [{ unknownFields: "reject" }, ["A9"]],
    [{ reviewWithoutFields: "allow" }, ["B4"]],
    [{ screenOnUnapproved: "refuse" }, ["C1"]],
    [{ both: true }, ["C2"]],
    [{ openingHours: "ignore" }, ["F5"]],
    [{ earlyPop: "refuse" }, ["F12"]],
  ] as const)("see the switch %j", async (behaviour, ids) => {
    const emulator = await running({ world: { ...demoWorld(), behaviour } });

    const found = wrong(await examine(targetOf(emulator), "a1")).map((line) => line.split(" ")[0]);

    expect([...new Set(found)]).toEqual(ids);
  });

  it("call what a live service does otherwise, where the contract is silent, a difference and no failure", async () => {
    const emulator = await running({ world: { ...demoWorld(), behaviour: { spotBadToken: 404 } } });

    expect(wrong(await examine(targetOf(emulator, false), "a1"))).toEqual(["A5 differs: expected 401, found 404"]);
  });

  it.each([
    ["a spot without newsFirst", "/rt_ad/", '"newsFirst":', '"first":', "Spot failed: data.newsFirst"],
    ["a duration as a text", "/rt_ad/", /"duration":(\d+)/, '"duration":"$1"', "Spot failed: data.news.duration"],
    ["a relative pop", "/rt_ad/", /"pop":"http:\/\/[^/]+/, '"pop":"', "Spot failed: "],
    [
      "a screen of another type",
      "/screens/",
      '"venue_type_id":"101"',
      '"venue_type_id":"205"',
      "Venue types failed: the screen's",
    ],
    ["a short week", "/locations/", "[true,", "[", "Locations failed: opening_168"],
    [
      "a category that can be selected",
      "/venue_types",
      '"selectable":false',
      '"selectable":true',
      "Venue types failed: 1:",
    ],
    ["HTML", "/venue_types", /^[\s\S]*$/, "<html>", "Venue types failed: "],
  ])("find %s", async (_, where, from, to, problem) => {
    const emulator = await running();
    const baseUrl = await standIn(emulator.baseUrl, (path, status, body) => {
      return { status, body: path.includes(where) ? body.replace(from, to) : body };
    });

    const findings = await examine({ ...targetOf(emulator, false), baseUrl }, "a1");

    expect(wrong(findings).filter((line) => line.includes("failed"))).toEqual(
      expect.arrayContaining([expect.stringContaining(problem)]),
    );
  });

  it("find the same request id twice", async () => {
    const emulator = await running();
    const baseUrl = await standIn(emulator.baseUrl, (_, status, body) => {
      return { status, body: body.replace(/"requestId":"[^"]*"/, '"requestId":"same"') };
    });

    const findings = await examine({ ...targetOf(emulator, false), baseUrl }, "a1");

    expect(wrong(findings)).toEqual(["Spot failed: two spots have the same request id"]);
  });
});

describe("spotloop conformance", () => {
  const flags = ({ baseUrl, orgToken, screenId }: Emulator) => [
    ...["--base-url", baseUrl, "--org-token-file", tokenFile(orgToken), "--screen-id", screenId],
  ];
  const tokenFile = (orgToken: string) => {
    const file = join(temporaryFolder(), "token");
    writeFileSync(file, `${orgToken}\n`);
    return file;
  };

  it("takes no token as an argument, which everybody on the machine can read", async () => {
    const { baseUrl, orgToken, screenId } = await running();
    const whom = ["--base-url", baseUrl, "--screen-id", screenId];

    expect((await spotloop(...whom, "--org-token", orgToken)).code).toBe(64);
    expect((await spotloop(...whom)).code).toBe(64);
    expect((await spotloop(...whom, "--org-token-file", "/nowhere/token")).code).toBe(64);

    vi.stubEnv("SPOTLOOP_ORG_TOKEN", orgToken);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await spotloop(...whom)).code).toBe(0);
  });

  it("prints a table and ends with 0 when nothing failed", async () => {
    const emulator = await running();

    const { code, printed } = await spotloop(...flags(emulator), "--control-url", emulator.controlUrl);

    expect(code).toBe(0);
    expect(printed).toMatch(/^passed {3}Venue types {2,}are a tree of three levels/);
    expect(printed).toMatch(/\n\n\d+ passed, 0 failed, 0 differs\n$/);
    expect(printed).not.toContain(emulator.orgToken);
  });

  it("prints the findings as JSON when asked to", async () => {
    const emulator = await running();

    const { code, printed } = await spotloop(...flags(emulator), "--json");

    expect(code).toBe(0);
    expect(JSON.parse(printed)[0]).toEqual({
      id: "Venue types",
      name: "are a tree of three levels whose first cannot be selected",
      verdict: "passed",
      problems: [],
    });
  });

  it("ends with 1 when something failed", async () => {
    const emulator = await running();

    const { code, printed } = await spotloop("--base-url", emulator.mediaUrl, ...flags(emulator).slice(2));

    expect(code).toBe(1);
    expect(printed).not.toMatch(/- \[\n/);
    expect(printed).toMatch(/^failed {3}Venue types .*\n +- expected a success, found 404/);
  });

  it("ends with 1 when there is nothing at the address", async () => {
    const emulator = await running();
    await emulator.close();

    const { code, printed, said } = await spotloop(...flags(emulator));

    expect(code).toBe(1);
    expect(said).toBe(`${emulator.baseUrl} does not answer: ECONNREFUSED\n`);
    expect(printed).toBe("");
  });

  it("goes on where some of the questions get no answer, and says of none what holds the token", async () => {
    const emulator = await running();
    const baseUrl = await standIn(emulator.baseUrl, (path, status, body) => {
      return path.includes("/venue_types") ? null : { status, body };
    });

    const { code, printed } = await spotloop("--base-url", baseUrl, ...flags(emulator).slice(2));

    expect(code).toBe(1);
    expect(printed).toContain(`- ${baseUrl} does not answer: UND_ERR_SOCKET\n`);
    expect(printed).not.toContain(emulator.orgToken);
  });

  it.each([
    ["garbage", "must be an http or https address"],
    ["http://u:p@127.0.0.1:1", "must be an address without user name, query or fragment"],
  ])("asks nothing of %s, which is no address of a service, and prints no token", async (address, problem) => {
    const whom = ["--org-token-file", tokenFile("SECRETTOKEN"), "--screen-id", "screen_demo"];

    const asked = await spotloop("--base-url", address, ...whom);
    const controlled = await spotloop("--base-url", "http://127.0.0.1:1", ...whom, "--control-url", address);

    expect(asked).toEqual({ code: 64, printed: "", said: `--base-url: ${problem}\n` });
    expect(controlled).toEqual({ code: 64, printed: "", said: `--control-url: ${problem}\n` });
  });

  it("needs to know whom to ask", async () => {
    expect((await spotloop("--base-url", "http://127.0.0.1:1")).code).toBe(64);
  });
});
