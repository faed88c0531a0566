import type { NetworkInterfaceInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { isOwnAddress, reachableHost } from "../../../src/emulator/http/listener.ts";

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
