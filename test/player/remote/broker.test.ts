import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/player/clock.ts";
import { DIRECT, type Uplink } from "../../../src/player/network/uplink.ts";
import { type BrokerAccess, openBrokerLine } from "../../../src/player/remote/broker-line.ts";
import { BrokerSession } from "../../../src/player/remote/broker-session.ts";
import type { Answer } from "../../../src/player/remote/commands.ts";
import type { Hands, Performance } from "../../../src/player/remote/remote-desk.ts";
import { eventually } from "../../support/machine/processes.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { type Broker, lackingBroker, openBroker, PROXIED } from "../../support/site/broker.ts";
import { makeCertificates, makeClientCertificate } from "../../support/site/certificates.ts";
import { openDesk } from "./desk.ts";

const COMMANDS = "spotloop/lobby/commands";

/** A thousand commands are two thousand writes that reach the disk. */
const WITHIN = { timeout: 240_000 };
const ALL_WITHIN_MS = 200_000;

/** A player at a broker, whose commands are noted and do nothing else. */
async function openPlayer(
  broker: Broker,
  changes: Partial<BrokerAccess> = {},
  uplink: Uplink = DIRECT,
  hands: Partial<Hands> = {},
) {
  const folder = temporaryFolder();
  const remote = openDesk(folder, { wall: () => Date.now(), hands });
  const { certificate, key } = broker.certificateFor("lobby");
  const files = { caFile: broker.certificates.authority, certFile: certificate, keyFile: key };
  const access: BrokerAccess = { url: broker.url, ...files, ...changes };
  const lines: string[] = [];
  const lost: (() => void)[] = [];
  const session = new BrokerSession({
    ...{ clientId: "lobby", topicPrefix: "spotloop", desk: remote.desk, metrics: remote.metrics },
    ...{ clock: systemClock(null), random: () => 1 },
    async openLine(signal) {
      const line = await openBrokerLine(access, uplink, signal);
      lost.push(() => line.socket.destroy());
      return line;
    },
    log: pino({}, { write: (line: string) => void lines.push(line) }),
  });
  session.start();
  onTestFinished(() => session.close());
  return {
    ...{ ...remote, session, lines },
    /** Cuts the connection without a word. */
    cut: () => lost.at(-1)?.(),
    connected: () => eventually("the connection", () => (session.connected ? true : undefined)),
  };
}

/** An operator's console that collects answers by what correlates them. */
async function openConsole(broker: Broker) {
  const client = await broker.console();
  const answers = new Map<string, Answer[]>();
  client.on("message", (_topic, payload, { properties }) => {
    const key = properties?.correlationData?.toString() ?? "";
    answers.set(key, [...(answers.get(key) ?? []), JSON.parse(payload.toString())]);
  });
  const send = (id: string, changes: object = {}, topic = COMMANDS) => {
    const written = { id, at: new Date().toISOString(), command: "restart", ...changes };
    const properties = { correlationData: Buffer.from(id) };
    return client.publishAsync(topic, JSON.stringify(written), { qos: 1, properties });
  };
  const answerTo = (id: string) => eventually(`the answer to ${id}`, () => answers.get(id)?.at(-1));
  return { client, answers, send, answerTo };
}

/** A way to a broker on which nobody gets through who sends more than so much at once; its address. */
async function narrowWayTo(broker: Broker, mostBytes: number): Promise<string> {
  const server = createTcpServer((near) => {
    const far = connect(Number(new URL(broker.url).port), "127.0.0.1");
    let sent = 0;
    near.on("data", (bytes) => {
      sent += bytes.length;
      if (sent > mostBytes) return near.destroy();
      far.write(bytes);
      return setTimeout(() => {
        sent -= bytes.length;
      }, 100);
    });
    far.pipe(near);
    near.on("close", () => far.destroy()).on("error", () => {});
    far.on("close", () => near.destroy()).on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `mqtts://localhost:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(lackingBroker !== null)(`the broker (${lackingBroker ?? "Mosquitto is there"})`, WITHIN, () => {
  it("brings a command by TLS, and takes the answer to it", async () => {
    const broker = await openBroker();
    const player = await openPlayer(broker);
    const operator = await openConsole(broker);
    await player.connected();
    await operator.send("one");
    expect(await operator.answerTo("one")).toMatchObject({ id: "one", command: "restart", outcome: "done" });
    expect(await player.connections()).toEqual(["connected"]);
    expect(player.recorded).toMatchObject([{ type: "remote", way: "mqtt", id: "one", outcome: "done" }]);
  });

  it("brings 1,000 commands in a row, of which none is lost or done twice though the connection breaks", async () => {
    const broker = await openBroker();
    const player = await openPlayer(broker);
    const operator = await openConsole(broker);
    await player.connected();
    const ids = Array.from({ length: 1_000 }, (_, index) => `row-${index}`);
    const sending = Promise.all(ids.map((id) => operator.send(id)));
    for (const count of [200, 500]) {
      await eventually(`${count} done`, () => (player.done.length >= count ? true : undefined), ALL_WITHIN_MS);
      player.cut();
    }
    await sending;
    const isDone = (id: string) => operator.answers.get(id)?.some(({ outcome }) => outcome === "done");
    await eventually("all answers", () => (ids.every(isDone) ? true : undefined), ALL_WITHIN_MS);
    expect([...player.done].sort()).toEqual([...ids].sort());
  });

  it("takes the answer to a command that was under way when the connection broke", async () => {
    const broker = await openBroker();
    let end = () => {};
    const doctor = () =>
      new Promise<Performance>((resolve) => {
        end = () => resolve({ kind: "done", text: "well" });
      });
    const player = await openPlayer(broker, {}, DIRECT, { doctor });
    const operator = await openConsole(broker);
    await player.connected();
    await operator.send("long", { command: "doctor" });
    // Once the next one is answered, the long one is acknowledged and still under way.
    await operator.send("next");
    await operator.answerTo("next");
    player.cut();
    await eventually("the end of the connection", () => (player.session.connected ? undefined : true));
    await player.connected();
    end();
    expect(await operator.answerTo("long")).toMatchObject({ outcome: "done", text: "well" });
  });

  it.each([
    ["says so", "max_packet_size 20000", false],
    ["cuts the connection", "", true],
  ])("is not sent what a command brought where it is too large for it, and %s", async (_, limit, isCut) => {
    const broker = await openBroker(limit);
    const attachment = { type: "image/jpeg", base64: "x".repeat(40_000) } as const;
    const screenshot = async (): Promise<Performance> => ({ kind: "done", text: "taken", attachment });
    const url = isCut ? await narrowWayTo(broker, 20_000) : broker.url;
    const player = await openPlayer(broker, { url }, DIRECT, { screenshot });
    const operator = await openConsole(broker);
    await player.connected();
    await operator.send("picture", { command: "screenshot" });
    // Where the connection was cut the command came again, and was refused.
    const tells = () => operator.answers.get("picture")?.find(({ outcome }) => outcome === "failed");
    const answer = await eventually("the answer", tells);
    expect(answer).toMatchObject({ attachment: null, text: expect.stringContaining("too large") });
    await player.connected();
    await operator.send("next");
    expect(await operator.answerTo("next")).toMatchObject({ outcome: "done" });
  });

  it("brings what came while the player was away, and nothing that became stale meanwhile", async () => {
    const broker = await openBroker();
    const operator = await openConsole(broker);
    const player = await openPlayer(broker);
    await player.connected();
    await broker.restart();
    await eventually("the console", () => (operator.client.connected ? true : undefined));
    await operator.send("fresh");
    await operator.send("stale", { at: new Date(Date.now() - 3_600_000).toISOString() });
    expect(await operator.answerTo("fresh")).toMatchObject({ outcome: "done" });
    expect(await operator.answerTo("stale")).toMatchObject({ outcome: "refused", reason: "stale" });
    expect(player.done).toEqual(["fresh"]);
  });

  it("brings what is replayed, unknown, too large or no command, which is refused, answered and counted", async () => {
    const broker = await openBroker();
    const player = await openPlayer(broker);
    const operator = await openConsole(broker);
    await player.connected();
    await operator.send("one");
    await operator.answerTo("one");
    await operator.send("one");
    await eventually("the second answer", () => operator.answers.get("one")?.[1]);
    await operator.send("two", { command: "shell", run: "id" });
    await operator.send("three", { command: "message", text: "x".repeat(5_000) });
    await operator.client.publishAsync(COMMANDS, "not a command", { qos: 1 });
    await operator.answerTo("");
    expect(operator.answers.get("one")?.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ["done", null],
      ["refused", "replayed"],
    ]);
    expect(await operator.answerTo("two")).toMatchObject({ outcome: "refused", reason: "unknown" });
    expect(await operator.answerTo("three")).toMatchObject({ outcome: "refused", reason: "too-large" });
    expect(player.done).toEqual(["one"]);
    expect(await player.counted()).toEqual({
      ...{ "restart done": 1, "restart replayed": 1 },
      ...{ "none unknown": 1, "none too-large": 1, "none malformed": 1 },
    });
  });

  it("lets nobody command a player but the console, and no player hear or answer for another", async () => {
    const broker = await openBroker();
    const player = await openPlayer(broker);
    const operator = await openConsole(broker);
    await player.connected();
    const { certificate, key } = broker.certificateFor("window");
    const { connectAsync } = await import("mqtt");
    const files = {
      ca: readFileSync(broker.certificates.authority),
      cert: readFileSync(certificate),
      key: readFileSync(key),
    };
    const other = await connectAsync(broker.url, { ...files, protocolVersion: 5 });
    onTestFinished(() => other.endAsync(true));
    const heard: string[] = [];
    other.on("message", (topic) => void heard.push(topic));
    await other.subscribeAsync(COMMANDS).catch(() => {});
    await other.publishAsync(COMMANDS, JSON.stringify({ command: "restart" }), { qos: 1 }).catch(() => {});
    await other.publishAsync("spotloop/lobby/answers", "{}", { qos: 1 }).catch(() => {});
    await operator.send("one");
    await operator.answerTo("one");
    expect([heard, player.done, [...operator.answers.keys()]]).toEqual([[], ["one"], ["one"]]);
    expect(await player.counted()).toEqual({ "restart done": 1 });
  });

  it("brings what an older subscription still gets, which is refused as none of this player's topics", async () => {
    const broker = await openBroker();
    writeFileSync(
      join(broker.folder, "acl"),
      `topic readwrite #\nuser console\ntopic readwrite #\nuser lobby\ntopic readwrite #\n`,
    );
    await broker.restart();
    const { certificate, key } = broker.certificateFor("lobby");
    const { connectAsync } = await import("mqtt");
    const files = {
      ca: readFileSync(broker.certificates.authority),
      cert: readFileSync(certificate),
      key: readFileSync(key),
    };
    const session = { protocolVersion: 5, clientId: "lobby", clean: false } as const;
    const before = await connectAsync(broker.url, { ...files, ...session, properties: { sessionExpiryInterval: 600 } });
    await before.subscribeAsync("old/lobby/commands", { qos: 1 });
    await before.endAsync(true);
    const player = await openPlayer(broker);
    const operator = await openConsole(broker);
    await player.connected();
    await operator.send("one", {}, "old/lobby/commands");
    expect(await operator.answerTo("one")).toMatchObject({ outcome: "refused", reason: "topic" });
    expect([player.done, await player.counted()]).toEqual([[], { "none topic": 1 }]);
  });

  it("is reached through the proxy, which knows its name, and not where that wants a login that is missing", async () => {
    const broker = await openBroker();
    const asked: string[] = [];
    const proxy = createServer();
    proxy.on("connect", ({ url = "", headers }, client) => {
      asked.push(url);
      client.on("error", () => {});
      if (headers["proxy-authorization"] !== "Basic bWU6c2VjcmV0") {
        return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      }
      const behind = connect(Number(url.split(":")[1]), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        behind.pipe(client).pipe(behind);
      });
      behind.on("error", () => client.destroy());
    });
    await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const through = (authorization: string | null) => {
      const https = { url: `http://127.0.0.1:${port}`, authorization };
      return { ...DIRECT, http: https, https };
    };
    const url = broker.url.replace("localhost", PROXIED);
    const refused = await openPlayer(broker, { url }, through(null));
    await eventually("the complaint", () => refused.lines.find((line) => line.includes("HTTP 407")));
    await refused.session.close();
    const player = await openPlayer(broker, { url }, through("Basic bWU6c2VjcmV0"));
    await player.connected();
    expect(new Set(asked)).toEqual(new Set([new URL(url).host]));
  });

  it("is tried again by files that were not there before, and no secret is in the log", async () => {
    const broker = await openBroker();
    const late = join(temporaryFolder(), "late.pem");
    const player = await openPlayer(broker, { certFile: late });
    await eventually("the complaint", () => player.lines.find((line) => line.includes("cannot be read (ENOENT)")));
    writeFileSync(late, readFileSync(join(broker.folder, "lobby.pem")));
    await player.connected();
    expect(player.lines.join()).not.toContain("PRIVATE KEY");
  });

  it("lets in whose password is right in a file of any editor's, and nobody else, which is said without it", async () => {
    const password = "pass: wörd";
    const broker = await openBroker("", { lobby: password, console: "another" });
    const authFile = join(temporaryFolder(), "login");
    writeFileSync(authFile, "lobby:s3cret\n");
    const player = await openPlayer(broker, { certFile: undefined, keyFile: undefined, authFile });
    const operator = await openConsole(broker);
    await eventually("the complaint", () => player.lines.find((line) => line.includes("Not authorized")));
    expect([player.session.connected, await player.connections()]).toEqual([false, ["refused"]]);
    expect(player.lines.join()).not.toContain("s3cret");
    writeFileSync(authFile, `\ufefflobby:${password}\r\n`, "utf16le");
    await player.connected();
    await operator.send("one");
    expect(await operator.answerTo("one")).toMatchObject({ outcome: "done" });
  });

  it("is not spoken with where its certificate is another authority's", async () => {
    const broker = await openBroker();
    const foreign = makeCertificates(temporaryFolder(), ["localhost"]);
    const player = await openPlayer(broker, { caFile: foreign.authority });
    const said = await eventually("the complaint", () =>
      player.lines.find((line) => line.includes("cannot be reached")),
    );
    expect(said).toContain("certificate");
    expect([player.session.connected, await player.connections()]).toEqual([false, ["certificate"]]);
  });

  it("lets nobody in whose certificate is another authority's, or who has none", async () => {
    const broker = await openBroker();
    const folder = temporaryFolder();
    makeCertificates(folder, ["localhost"]);
    const { certificate: certFile, key: keyFile } = makeClientCertificate(folder, "lobby");
    const stranger = await openPlayer(broker, { certFile, keyFile });
    await eventually("the complaint", () => stranger.lines.find((line) => line.includes("cannot be reached")));
    expect([stranger.session.connected, await stranger.connections()]).toEqual([false, ["certificate"]]);
    const nobody = await openPlayer(broker, { certFile: undefined, keyFile: undefined });
    await eventually("the complaint", () => nobody.lines.find((line) => line.includes("cannot be reached")));
    expect([nobody.session.connected, await nobody.connections()]).toEqual([false, ["certificate"]]);
  });
});

describe("the way to a broker", () => {
  it("is asked for by the name that the network knows, however the address is written", async () => {
    const asked: string[] = [];
    const proxy = createServer().on("connect", ({ url = "" }, client) => {
      asked.push(url);
      client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const https = { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, authorization: null };
    for (const url of ["mqtts://m\u00fcller.example", "mqtts://MQTT.Example:443", "mqtts://[2001:db8::1]:8884"]) {
      const line = openBrokerLine({ url }, { ...DIRECT, http: https, https }, new AbortController().signal);
      await expect(line).rejects.toThrow("HTTP 403");
    }
    expect(asked).toEqual(["xn--mller-kva.example:8883", "mqtt.example:443", "[2001:db8::1]:8884"]);
  });
});
