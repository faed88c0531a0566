import { describe, expect, it } from "vitest";
import { reachOf } from "../../src/core/address.ts";

describe("how far an address reaches", () => {
  it.each(["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.255.0.1", "[::1]", "::1", "[::ffff:7f00:1]"])(
    "%s is this machine",
    (host) => expect(reachOf(host)).toBe("loopback"),
  );

  it.each([
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "[fe80::1]",
    "[fd00::1]",
    "[ff02::1]",
    "[::]",
    "[::ffff:a00:1]",
    "::ffff:192.168.0.1",
    "[2001:db8::1]",
    "[64:ff9b::a00:1]",
  ])("%s is a network of its own", (host) => expect(reachOf(host)).toBe("private"));

  it.each(["8.8.8.8", "172.32.0.1", "100.128.0.1", "example.com", "[2606:4700::1111]", "::ffff:8.8.8.8"])(
    "%s is the public internet",
    (host) => expect(reachOf(host)).toBe("public"),
  );

  it.each(["http://0x7f.1/", "http://2130706433/", "http://127.1/", "http://0177.0.0.1/"])(
    "%s does not hide this machine, because URL parsers write it out",
    (url) => expect(reachOf(new URL(url).hostname)).toBe("loopback"),
  );
});
