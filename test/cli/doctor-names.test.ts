import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, it, vi } from "vitest";
import { serviceFindings } from "../../src/cli/doctor/service-checks.ts";
import { DIRECT } from "../../src/player/network/uplink.ts";
import { answer, serve } from "../client/server.ts";

const { lookup } = dns;

/** A name server that answers after so long. */
function answerAfter(waitMs: number): void {
  vi.useFakeTimers({ toFake: ["performance"] });
  const late = async () => {
    vi.advanceTimersByTime(waitMs);
    return { address: "127.0.0.1", family: 4 };
  };
  Object.assign(dns, { lookup: late });
  syncBuiltinESMExports();
}

afterEach(() => {
  vi.useRealTimers();
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
});

it.each([
  [15_000, { verdict: "warning", text: "localhost is 127.0.0.1, found after 15 s" }],
  [300, { verdict: "ok", text: "localhost is 127.0.0.1" }],
])(
  "spotloop doctor says of a name that is found after %i ms how long that takes, where it is long",
  async (waitMs, said) => {
    const { url } = await serve((_, response) => answer(200, {}, "[]")(response));
    answerAfter(waitMs);
    const baseUrl = url.replace("127.0.0.1", "localhost");
    const access = { path: null, baseUrl, orgToken: "org", uplink: DIRECT, warnings: [] };
    const [name] = await serviceFindings(access, {});
    expect(name).toMatchObject({ name: "name", ...said });
  },
);
