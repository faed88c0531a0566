import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { DIRECT, requestsBy } from "../../../src/player/network/uplink.ts";

/**
 * Stands still for a while once it listens. With two connections waiting the system answers no third, until that is asked
 * for again, a second later.
 */
const SLOW_SERVER = `
  const server = require("node:http").createServer((_, response) => response.end("here"));
  server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
    process.stdout.write(String(server.address().port));
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600), 50);
  });`;

it("a host that answers late is reached, though another of its addresses cannot be", async () => {
  const server = spawn(process.execPath, ["-e", SLOW_SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void server.kill());
  const port = Number((await once(server.stdout, "data"))[0]);
  await sleep(150);
  const waiting = [1, 2, 3, 4].map(() => connect(port, "127.0.0.1").on("error", () => {}));
  onTestFinished(() => waiting.forEach((socket) => void socket.destroy()));
  await sleep(150);
  const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
  const dispatcher = new Agent({ connect: { lookup: (_host, _options, found) => found(null, addresses) } });
  const { fetch } = requestsBy(DIRECT);
  const reply = await fetch(`http://service.example:${port}/`, { dispatcher } as object);
  expect(await reply.text()).toBe("here");
});
