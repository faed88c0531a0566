import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { FaultEffects } from "../../../src/emulator/faults/schema.ts";
import { running, smallWorld } from "../running.ts";
import { type Exchange, exchange } from "./exchange.ts";

const SPOT = "/v3/vendor/org_a/1/rt_ad/screen_a";
const MEDIA = "/creatives/ad-bakery.png";
const FILE = readFileSync(new URL("../../../assets/creatives/ad-bakery.png", import.meta.url));

/** What an answer is without faults; every test of this table says how it differs. */
async function struck(effects: FaultEffects, path: string): Promise<Exchange> {
  const emulator = await running({ world: { ...smallWorld(), faults: [{ name: "f", do: effects }] } });
  return exchange(path === SPOT ? emulator.baseUrl : emulator.mediaUrl, path);
}

function text({ body }: Exchange): string {
  return body.toString("utf8");
}

interface Row {
  readonly name: string;
  readonly path: string;
  readonly do: FaultEffects;
  readonly sees: (answer: Exchange) => void;
}

const rows: readonly Row[] = [
  {
    name: "status gives an error in the service's shape",
    path: SPOT,
    do: { status: 503 },
    sees: (answer) => {
      expect(answer.status).toBe(503);
      const detail = 'the fault "f" is in force';
      expect(JSON.parse(text(answer))).toEqual({ detail, code: "fault", status: 503, title: "Service Unavailable" });
    },
  },
  {
    name: "status with a text gives it as it is",
    path: SPOT,
    do: { status: 500, body: "<h1>Oops</h1>", contentType: "text/html", headers: { "X-Cache": "MISS" } },
    sees: (answer) => {
      expect([answer.status, text(answer)]).toEqual([500, "<h1>Oops</h1>"]);
      expect(answer.headers).toMatchObject({ "content-type": "text/html", "x-cache": "MISS", "content-length": "13" });
    },
  },
  {
    name: "status with a value gives it as JSON",
    path: SPOT,
    do: { status: 200, body: { data: null } },
    sees: (answer) => {
      expect([answer.status, text(answer)]).toEqual([200, '{"data":null}']);
      expect(answer.headers["content-type"]).toBe("application/json");
    },
  },
  {
    name: "retryAfter alone is a 429",
    path: SPOT,
    do: { retryAfter: 7 },
    sees: ({ status, headers }) => expect([status, headers["retry-after"]]).toEqual([429, "7"]),
  },
  {
    name: "retryAfter can be a date, beside a status",
    path: SPOT,
    do: { status: 503, retryAfter: "Mon, 02 Mar 2026 08:05:00 GMT" },
    sees: ({ status, headers }) => {
      expect([status, headers["retry-after"]]).toEqual([503, "Mon, 02 Mar 2026 08:05:00 GMT"]);
    },
  },
  {
    name: "reset breaks the connection off before any byte",
    path: SPOT,
    do: { reset: true },
    sees: ({ status, body, end }) => expect([status, body.length, end]).toEqual([0, 0, "reset"]),
  },
  {
    name: "empty is a 204 without a body",
    path: SPOT,
    do: { empty: true },
    sees: ({ status, body, headers }) => {
      expect([status, body.length, headers["content-length"]]).toEqual([204, 0, undefined]);
    },
  },
  {
    name: "truncateAt promises the whole file and breaks off",
    path: MEDIA,
    do: { truncateAt: 1000 },
    sees: ({ status, body, headers }) => {
      expect([status, headers["content-length"]]).toEqual([200, String(FILE.length)]);
      expect(body.equals(FILE.subarray(0, 1000))).toBe(true);
    },
  },
  {
    name: "truncateAt 0 promises an answer that was worked out, and sends nothing of it",
    path: SPOT,
    do: { truncateAt: 0 },
    sees: ({ status, body, headers }) => {
      expect([status, body.length]).toEqual([200, 0]);
      expect(Number(headers["content-length"])).toBeGreaterThan(100);
    },
  },
  {
    name: "corrupt inverts so many bytes and no other",
    path: MEDIA,
    do: { corrupt: 3 },
    sees: ({ body }) => {
      const changed = [...FILE.keys()].filter((at) => body[at] !== FILE[at]);
      expect([body.length, changed.length]).toEqual([FILE.length, 3]);
      expect(changed.every((at) => body[at] === ((FILE[at] ?? 0) ^ 0xff))).toBe(true);
    },
  },
  {
    name: "malformedJson leaves out the second half",
    path: SPOT,
    do: { malformedJson: true },
    sees: (answer) => {
      expect(text(answer)).toMatch(/^\{"data":\{"requestId":"/);
      expect(() => JSON.parse(text(answer))).toThrow(SyntaxError);
      expect(answer.headers["content-length"]).toBe(String(answer.body.length));
    },
  },
  {
    name: "contentType is put in the place of the real one",
    path: MEDIA,
    do: { contentType: "text/plain" },
    sees: ({ body, headers }) => {
      expect(headers["content-type"]).toBe("text/plain");
      expect(body.equals(FILE)).toBe(true);
    },
  },
  {
    name: "wrongLength promises more than comes",
    path: MEDIA,
    do: { wrongLength: 5 },
    sees: ({ body, headers }) => {
      expect([headers["content-length"], body.length]).toEqual([String(FILE.length + 5), FILE.length]);
      expect(headers.connection).toBe("close");
    },
  },
  {
    name: "wrongLength sends more than it promises",
    path: MEDIA,
    do: { wrongLength: -5 },
    sees: ({ body, headers }) => {
      expect([headers["content-length"], body.length]).toEqual([String(FILE.length - 5), FILE.length]);
    },
  },
  {
    name: "redirect leads to itself again",
    path: `${MEDIA}?v=1`,
    do: { redirect: "loop" },
    sees: ({ status, headers }) => expect([status, headers.location]).toEqual([302, `${MEDIA}?v=1`]),
  },
  {
    name: "redirect leads to a URL",
    path: MEDIA,
    do: { redirect: "http://127.0.0.1:9/elsewhere" },
    sees: ({ status, headers }) => expect([status, headers.location]).toEqual([302, "http://127.0.0.1:9/elsewhere"]),
  },
  {
    name: "patch changes types, adds members and takes members away",
    path: SPOT,
    do: { patch: { data: { billable: "yes", news: null, extra: [1], ad: { duration: -1 } } } },
    sees: (answer) => {
      const { data } = JSON.parse(text(answer));
      expect(data).toMatchObject({ billable: "yes", extra: [1], ad: { id: "ad-coffee", duration: -1 } });
      expect(Object.keys(data)).not.toContain("news");
    },
  },
  {
    name: "patch leaves what is not JSON alone",
    path: MEDIA,
    do: { patch: { data: 1 } },
    sees: ({ body }) => expect(body.equals(FILE)).toBe(true),
  },
  {
    name: "dateSkewMs puts the date off",
    path: SPOT,
    do: { dateSkewMs: -3_600_000 },
    sees: ({ status, headers }) => expect([status, headers.date]).toEqual([200, "Mon, 02 Mar 2026 07:00:00 GMT"]),
  },
];

describe("a fault on the wire", () => {
  it.each(rows)("$name", async ({ path, do: effects, sees }) => {
    sees(await struck(effects, path));
  });

  it.each<[FaultEffects, number]>([
    [{ status: 500, empty: true, redirect: "loop", reset: true }, 0],
    [{ status: 500, empty: true, redirect: "loop" }, 302],
    [{ status: 500, empty: true }, 204],
    [{ retryAfter: 3, status: 503 }, 503],
  ])("answers %j with %i: the first that takes the network's place decides", async (effects, status) => {
    expect((await struck(effects, SPOT)).status).toBe(status);
  });

  it("hang never answers, and is in the journal without a status", async () => {
    const emulator = await running({ world: { ...smallWorld(), faults: [{ name: "mute", do: { hang: true } }] } });

    const answer = exchange(emulator.baseUrl, SPOT);
    const calls = await (await fetch(`${emulator.controlUrl}/control/journal/wait?route=spot&timeout_ms=20000`)).json();
    await emulator.close();

    expect((await answer).status).toBe(0);
    expect(calls).toMatchObject([{ route: "spot", screen_id: "screen_a", status: 0, fault: "mute" }]);
  });

  it("does nothing for a call that it answers itself", async () => {
    const emulator = await running({ world: { ...smallWorld(), faults: [{ do: { status: 500 } }] } });

    await exchange(emulator.baseUrl, SPOT);

    expect(emulator.spots()).toEqual([]);
  });

  it("strikes the media listener's proofs of play as well, and never the control listener", async () => {
    const emulator = await running({ world: { ...smallWorld(), faults: ["offline"] } });

    const ends = [await exchange(emulator.mediaUrl, "/pop/x"), await exchange(emulator.controlUrl, "/control/health")];

    expect(ends.map(({ status }) => status)).toEqual([0, 200]);
  });
});
