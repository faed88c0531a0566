import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { bodyOf } from "../../../src/emulator/media/app.ts";
import { readHugeFile } from "../../../src/emulator/media/files.ts";
import { creativesDir, packagedCreatives } from "../../../src/emulator/world/creatives.ts";
import { ask, call, json, nextSpot, running, smallWorld } from "../running.ts";

const all = packagedCreatives(creativesDir());
const bad = all.filter(({ flaw }) => flaw !== undefined);
const names = bad.map(({ name }) => name);
/** All but the huge one lie in the folder. */
const files = bad.filter(({ name }) => name !== "bad-huge").map(({ name, url, mimeType }) => [name, url, mimeType]);

const HUGE = "/creatives/bad/huge.mp4";
const HUGE_BYTES = 200_000_000;
const NEVER = "/creatives/bad/never.png";

function inFolder(url: string): Buffer {
  return readFileSync(new URL(`../../../assets/${url}`, import.meta.url));
}

describe("the bad creatives", () => {
  it("are all those that were promised", () => {
    expect(names).toEqual([
      "bad-empty",
      "bad-truncated",
      "bad-codec",
      "bad-endless",
      "bad-spinning",
      "bad-greedy",
      "bad-windows",
      "bad-leaving",
      "bad-asking",
      "bad-throwing",
      "bad-sounding",
      "bad-huge",
    ]);
  });

  it.each(files)(
    "%s is served whole, as the file and of the type that the list has",
    async (_, url = "", type = "") => {
      const { mediaUrl } = await running();

      const { status, headers, body } = await ask(mediaUrl, `/${url}`);

      const bytes = inFolder(url);
      expect([status, headers["content-length"], body.equals(bytes)]).toEqual([200, String(bytes.length), true]);
      expect(headers["content-type"]?.split(";")[0]).toBe(type);
    },
  );

  it("of HTML say their name, count frames and ask for nothing that is not there, but for what never comes", async () => {
    const { mediaUrl } = await running();
    for (const { name, url, mimeType } of bad) {
      if (mimeType !== "text/html") continue;
      const page = inFolder(url).toString();
      expect(page).toContain(`<footer><span>${name}</span><span id="counter">`);
      for (const [, path = ""] of page.matchAll(/(?:src|href|open\(|location\.href)\s?=?\s?"([^"]+)"/g)) {
        if (path === "never.png") continue;
        expect([path, (await ask(mediaUrl, `/creatives/bad/${path}`)).status]).toEqual([path, 200]);
      }
    }
  });

  it("can each be named by a world", async () => {
    const [organization] = smallWorld().organizations;
    const cars = names.map((name, index) => ({
      car_id: `car_${index}`,
      status: "approved" as const,
      advertiser_name: "A",
      campaign_name: "A",
      creative: name,
    }));
    const campaigns = cars.map(({ car_id }) => ({ campaign_id: `cmp_${car_id}`, car_id }));
    const news = names.map((creative) => ({ creative }));
    const emulator = await running({
      world: { organizations: [{ org_token: "org_a", ...organization, cars, campaigns }], news },
    });

    const spots = [];
    for (const _ of names) spots.push(await nextSpot(emulator, "org_a", "screen_a"));

    expect(spots.map(({ ad }) => ad.id)).toEqual(names);
    expect(spots.map((spot) => spot.news.id)).toEqual(names);
  });

  it("can each be planned next, and nothing in the spot tells that they are bad", async () => {
    const emulator = await running();
    const path = "/control/screens/screen_demo/next";
    const body = { spots: names.map((ad) => ({ news: null, ad })) };

    const planned = await ask(emulator.controlUrl, path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });

    expect([planned.status, json(planned)]).toEqual([200, { waiting: names.length }]);
    for (const { name, title, mimeType, width, height, duration, url } of bad) {
      const { ad } = await nextSpot(emulator);
      const item = { id: name, title, mimeType, width, height, duration, url: `${emulator.mediaUrl}/${url}` };
      expect(ad).toEqual({ ...item, pop: expect.any(String) });
    }
  });

  it("are never drawn for an approval that is made up", async () => {
    const { controlUrl, mediaUrl } = await running();
    const good = all.filter(({ name, newsType }) => newsType === null && !names.includes(name));
    const urls = new Set<string>();
    for (let drawn = 0; drawn < 100; drawn += 1) {
      const headers = { "content-type": "application/json" };
      const reply = await ask(controlUrl, "/control/cars", { method: "POST", headers, body: {} });
      urls.add(json(reply).item.url);
    }

    expect([...urls].toSorted()).toEqual(good.map(({ url }) => `${mediaUrl}/${url}`).toSorted());
  });

  it("are all in the docs' table, with what is bad about them, and in what their folder says", () => {
    const [page, folder] = ["docs/emulator.md", "assets/creatives/README.md"].map((path) => {
      return readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
    });

    expect(bad.filter(({ name, flaw }) => !page?.includes(`| \`${name}\` | ${flaw} |`))).toEqual([]);
    expect(names.filter((name) => !folder?.includes(`\`${name}\``))).toEqual([]);
  });
});

describe("the empty creative", () => {
  it("is complete in the ledger once it was asked for", async () => {
    const emulator = await running();
    emulator.next("screen_demo", [{ news: null, ad: "bad-empty" }]);
    const { ad } = await nextSpot(emulator);

    const { status, headers, body } = await call(emulator, ad.url);

    expect([status, headers["content-length"], body.length]).toEqual([200, "0", 0]);
    await expect.poll(() => emulator.spots()[0]?.ad?.media).toMatchObject([{ bytes: 0, complete: true }]);
  });

  it("has no byte that a Range could ask for", async () => {
    const { mediaUrl } = await running();

    const reply = await ask(mediaUrl, "/creatives/bad/empty.mp4", { headers: { range: "bytes=0-" } });

    expect([reply.status, reply.headers["content-range"]]).toEqual([416, "bytes */0"]);
  });
});

describe("the page that never loads", () => {
  it("asks for a picture that the media listener takes and never answers, and closes with it open", async () => {
    const emulator = await running();
    expect(inFolder("creatives/bad/endless.html").toString()).toContain('<img src="never.png"');

    let isAnswered = false;
    const asked = get(emulator.mediaUrl + NEVER, () => {
      isAnswered = true;
    });
    const ended = once(asked, "error");
    await expect.poll(() => emulator.calls({ route: "media" })).toMatchObject([{ path: NEVER, status: 0 }]);
    // The listener answers others meanwhile.
    expect((await ask(emulator.mediaUrl, "/creatives/bad/endless.html")).status).toBe(200);
    await emulator.close();

    expect([isAnswered, (await ended)[0].code]).toEqual([false, "ECONNRESET"]);
  });

  it.each([{ latencyMs: 0 }, { dateSkewMs: 60_000 }, { bytesPerSecond: 1_000_000 }])(
    "asks for a picture that is not answered on a bad line either: %j",
    async (effects) => {
      const emulator = await running();
      emulator.addFault({ name: "line", do: effects });

      const asked = get(emulator.mediaUrl + NEVER);
      const outcome = new Promise((resolve) => {
        asked.on("response", ({ statusCode }) => resolve(statusCode));
        asked.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      });
      await expect.poll(() => emulator.calls({ route: "media" })).toMatchObject([{ path: NEVER, fault: "line" }]);
      await ask(emulator.mediaUrl, "/creatives/bad/endless.html");
      const [{ status } = {}] = emulator.calls({ route: "media" });
      await emulator.close();

      expect([status, await outcome]).toEqual([0, "ECONNRESET"]);
    },
  );
});

describe("the huge creative", () => {
  it("is an MP4 of 200 MB with one box of nothing, and its ETag is that of its bytes", async () => {
    const { mediaUrl } = await running();
    const head = await ask(mediaUrl, HUGE, { method: "HEAD" });

    const [response] = (await once(get(mediaUrl + HUGE), "response")) as [IncomingMessage];
    const hash = createHash("sha256");
    let sizeBytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      hash.update(chunk);
      sizeBytes += chunk.length;
    }

    expect(head.headers).toMatchObject({
      "content-length": String(HUGE_BYTES),
      "content-type": "video/mp4",
      "accept-ranges": "bytes",
      etag: `"${hash.digest("base64url").slice(0, 22)}"`,
    });
    expect([response.statusCode, response.headers.etag, sizeBytes]).toEqual([200, head.headers.etag, HUGE_BYTES]);
  });

  it.each([
    ["bytes=0-31", 0, 31],
    ["bytes=100000000-100000099", 100_000_000, 100_000_099],
    ["bytes=16-200015", 16, 200_015],
    ["bytes=-100", HUGE_BYTES - 100, HUGE_BYTES - 1],
  ])("answers Range: %s with 206 and just those bytes", async (range, first, last) => {
    const { mediaUrl } = await running();
    const expected = Buffer.alloc(last + 1 - first);
    mp4Head().subarray(first).copy(expected);

    const { status, headers, body } = await ask(mediaUrl, HUGE, { headers: { range } });

    expect([status, headers["content-range"]]).toEqual([206, `bytes ${first}-${last}/${HUGE_BYTES}`]);
    expect(body.equals(expected)).toBe(true);
  });

  it("takes up the same small piece of memory from its first byte to its last", async () => {
    const memory = new Set<ArrayBufferLike>();
    let sizeBytes = 0;
    for await (const chunk of readHugeFile(0, HUGE_BYTES - 1) as AsyncIterable<Buffer>) {
      memory.add(chunk.buffer);
      sizeBytes += chunk.length;
    }

    expect(sizeBytes).toBe(HUGE_BYTES);
    expect([...memory].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(1024 * 1024);
  });

  it("stops being made when its client goes", async () => {
    const file = readHugeFile(0, HUGE_BYTES - 1);
    let sent = 0;
    const reader = bodyOf(file, HUGE_BYTES, (bytes) => {
      sent += bytes;
    }).getReader();
    const { value } = await reader.read();
    await reader.cancel();

    expect([file.destroyed, sent]).toEqual([true, value?.length]);
  });
});

/** Size, `ftyp`, brand, version, two brands; then a `free` box of all that is left. */
function mp4Head(): Buffer {
  const left = (HUGE_BYTES - 24).toString(16).padStart(8, "0");
  return Buffer.from(
    `00000018 66747970 69736f6d 00000200 69736f6d 6d703431 ${left} 66726565`.replaceAll(" ", ""),
    "hex",
  );
}
