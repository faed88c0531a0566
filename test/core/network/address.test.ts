import { describe, expect, it } from "vitest";
import { BAD_PORTS, isLocalName, scopeOf } from "../../../src/core/network/address.ts";

/** What systems connect to this machine too, and what carries its address through a tunnel or a translator. */
const HERE = [
  ...["0.0.0.0", "[::]", "::", "localhost.", "[0:0:0:0:0:ffff:7f00:1]", "::ffff:127.0.0.1", "::ffff:0:7f00:1"],
  ...["[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "[::7f00:1]", "[::ffff:0.0.0.0]", "[::ffff:0:0]"],
];

describe("how far an address reaches", () => {
  it.each([
    "localhost",
    "LOCALHOST",
    "a.localhost",
    "127.0.0.1",
    "127.255.0.1",
    "[::1]",
    "::1",
    "[::ffff:7f00:1]",
    ...HERE,
  ])("%s is this machine", (host) => expect(scopeOf(host)).toBe("loopback"));

  it.each([
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.88.99.1",
    "224.0.0.1",
    "255.255.255.255",
    "[fe80::1]",
    "[fd00::1]",
    "[ff02::1]",
    "[2002:c0a8:101::1]",
    "[2002:808:808::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[2001:2::1]",
    "[100::1]",
    "[64:ff9b:1::808:808]",
    "[::ffff:0:808:808]",
    "[::808:808]",
    "[fe80::1%eth0]",
    "[3fff::1]",
    "[5f00::1]",
    "no:address",
    "[::ffff:a00:1]",
    "::ffff:192.168.0.1",
    "[2001:db8::1]",
    "[64:ff9b::a00:1]",
  ])("%s is a network of its own", (host) => expect(scopeOf(host)).toBe("private"));

  it.each([
    "8.8.8.8",
    "172.32.0.1",
    "100.128.0.1",
    "example.com",
    "[2606:4700::1111]",
    "::ffff:8.8.8.8",
    "[64:ff9b::808:808]",
  ])("%s is the public internet", (host) => expect(scopeOf(host)).toBe("public"));

  it.each(["http://0x7f.1/", "http://2130706433/", "http://127.1/", "http://0177.0.0.1/"])(
    "%s does not hide this machine, because URL parsers write it out",
    (url) => expect(scopeOf(new URL(url).hostname)).toBe("loopback"),
  );
});

describe("a name", () => {
  it.each(["router", "printer.local", "a.b.internal", "nas.home.arpa", "Router.LAN.", "x.corp"])(
    "that no public name server knows is a local one: %s",
    (name) => expect(isLocalName(name)).toBe(true),
  );

  it.each(["cdn.example", "local.example", "internal.signage.test", "10.0.0.1", "[::1]"])(
    "that one may know, or an address, is none: %s",
    (name) => expect(isLocalName(name)).toBe(false),
  );
});

/** A port that has another service behind it can have no web server: fetch fails before it connects anywhere. */
const NOWHERE = "http://192.0.2.1";

it.each([...BAD_PORTS].filter((port) => port !== 0))("fetch refuses port %i before it connects", async (port) => {
  const refusal = await fetch(`${NOWHERE}:${port}/`).catch((error: unknown) => error);
  expect((refusal as Error).cause).toMatchObject({ message: "bad port" });
});

it("holds as many ports as the standard's table, and 0", () => {
  expect(BAD_PORTS.size).toBe(83);
});
