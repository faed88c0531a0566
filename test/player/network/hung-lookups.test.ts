import { createSocket } from "node:dgram";
import { describe, expect, it, onTestFinished } from "vitest";
import { askingServers, pastHung } from "../../../src/player/network/hung-lookups.ts";
import { lookupWithin } from "../../../src/player/network/name-lookups.ts";

const ALL = { all: true } as const;
const HUNG_AFTER_MS = 20;
const FOUND = [{ address: "203.0.113.1", family: 4 }];
const PAST = [{ address: "203.0.113.2", family: 4 }];

/** A system that hangs until it is let go, and what it was asked. */
function hungSystem() {
  const asked: string[] = [];
  const held = Promise.withResolvers<void>();
  const system = async (hostname: string) => {
    asked.push(hostname);
    await held.promise;
    return FOUND;
  };
  return { asked, system, letGo: held.resolve };
}

describe("a look-up of the system's that hangs", () => {
  it("is answered past the system, and so are those after it, until it ends", async () => {
    const { asked, system, letGo } = hungSystem();
    const find = pastHung(system, async () => PAST, HUNG_AFTER_MS);
    expect(await find("a.example", ALL)).toEqual(PAST);
    expect(await find("b.example", ALL)).toEqual(PAST);
    expect(asked).toEqual(["a.example"]);
    letGo();
    await expect.poll(() => find("c.example", ALL)).toEqual(FOUND);
  });

  it("keeps its place from nobody for longer", async () => {
    const { system } = hungSystem();
    const direct = async (hostname: string) => {
      if (hostname === "a.example") throw new Error("nobody answers");
      return PAST;
    };
    const look = lookupWithin(1, pastHung(system, direct, HUNG_AFTER_MS));
    const first = expect(look("a.example", ALL)).rejects.toThrow("nobody answers");
    expect(await look("b.example", ALL)).toEqual(PAST);
    await first;
  });

  it("that ends in time is the system's", async () => {
    const find = pastHung(
      async () => FOUND,
      async () => PAST,
      HUNG_AFTER_MS,
    );
    expect(await find("a.example", ALL)).toEqual(FOUND);
  });
});

describe("name servers that are asked past the system", () => {
  const A = 1;

  /** One that knows an address of IPv4 for every name. */
  async function nameServer(): Promise<string> {
    const socket = createSocket("udp4");
    socket.on("message", (query, { port, address }) => {
      const type = query.readUInt16BE(query.length - 4);
      const answer =
        type === A ? Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 2]) : Buffer.of();
      const head = Buffer.from(query.subarray(0, 12));
      head.writeUInt16BE(0x8180, 2);
      head.writeUInt16BE(type === A ? 1 : 0, 6);
      head.writeUInt32BE(0, 8);
      socket.send(Buffer.concat([head, query.subarray(12), answer]), port, address);
    });
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    onTestFinished(() => void socket.close());
    return `127.0.0.1:${socket.address().port}`;
  }

  it("tell what addresses there are of either kind, or that there are none", async () => {
    const find = askingServers([await nameServer()]);
    expect(await find("a.example", ALL)).toEqual(PAST);
    await expect(find("a.example", { family: 6 })).rejects.toMatchObject({ code: "ENODATA" });
  });
});
