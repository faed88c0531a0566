import { Agent, request } from "node:http";
import { connect } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Env } from "../../../src/emulator/http/answers.ts";
import { isOwnAddress, onlyFromHere, reachableHost } from "../../../src/emulator/http/listener.ts";
import { running } from "../running.ts";

function address(address: string, internal: boolean): NetworkInterfaceInfo {
  const common = { address, netmask: "", mac: "", internal, cidr: null };
  return address.includes(":") ? { ...common, family: "IPv6", scopeid: 0 } : { ...common, family: "IPv4" };
}
const LAN = {
  lo: [address("127.0.0.1", true), address("::1", true)],
  eth0: [address("fe80::1", false), address("192.168.1.5", false)],
};

describe("an emulator on every address", () => {
  it.each([
    ["0.0.0.0", LAN, "192.168.1.5"],
    ["::", LAN, "192.168.1.5"],
    ["0.0.0.0", { lo: LAN.lo }, "127.0.0.1"],
    ["::", { lo: LAN.lo }, "[::1]"],
    ["127.0.0.1", LAN, "127.0.0.1"],
    ["fd00::7", LAN, "[fd00::7]"],
  ])("listening on %s names a host that others reach", (host, interfaces, named) => {
    expect(reachableHost(host, interfaces)).toBe(named);
  });

  it("knows its own addresses, and no names", () => {
    const own = ["192.168.1.5", "[fe80::1]", "192.168.1.6", "emulator.lan", ""].map((host) => isOwnAddress(host, LAN));

    expect(own).toEqual([true, true, false, false, false]);
  });
});

describe("a connection", () => {
  it("takes further calls after a body that was too long", async () => {
    const { baseUrl } = await running();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const statusOf = (method: string, path: string, body?: string) =>
      new Promise((resolve, reject) => {
        const headers = { "content-type": "application/json" };
        const asked = request(baseUrl + path, { agent, method, headers }, (response) => {
          response.resume().on("end", () => resolve(response.statusCode));
        });
        asked.on("error", reject);
        asked.end(body);
      });

    const refused = await statusOf("POST", "/vendor/org_demo/locations", "x".repeat(2_000_000));
    const next = await statusOf("POST", "/vendor/org_demo/locations", '{"title":"Foyer"}');

    expect([refused, next]).toEqual([413, 201]);
  });
});

describe("a listener on an address of its own", () => {
  it.each([
    ["fd00::7", "[fd00::7]:8789"],
    ["FD00::7", "[fd00::7]"],
    ["192.168.1.5", "192.168.1.5:8789"],
    ["signage.lan", "signage.lan"],
  ])("on %s answers under the Host %s", async (host, authority) => {
    const app = new Hono<Env>().use(onlyFromHere(host)).get("/", (c) => c.text("here"));

    const reply = await app.request("http://listener/", { headers: { host: authority } });

    expect(reply.status).toBe(200);
  });

  it.skipIf(!hasAddress("::1"))("on ::1 answers a client of HTTP/1.0, which names no Host", async () => {
    const { controlUrl } = await running({ host: "::1" });
    const socket = connect({ host: "::1", port: Number(new URL(controlUrl).port) });
    socket.write("GET /control/health HTTP/1.0\r\n\r\n");

    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\{"status":"ok"\}$/s);
  });
});

function hasAddress(wanted: string): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === wanted));
}
