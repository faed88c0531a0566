import { createReadStream, type ReadStream } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { FaultEffects } from "../../../src/emulator/faults/schema.ts";
import { openPort } from "../../../src/emulator/http/listener.ts";
import { mediaApp } from "../../../src/emulator/media/app.ts";
import type { MediaFile } from "../../../src/emulator/media/files.ts";
import { creativesDir } from "../../../src/emulator/world/creatives.ts";
import { inside } from "../inside.ts";
import { smallWorld } from "../running.ts";
import { exchange } from "./exchange.ts";

const PATH = "/creatives/ad-bakery.png";

/** A media listener with one file under a fault, and every stream that it has opened of that file. */
async function listenerWith(effects: FaultEffects) {
  const opened: ReadStream[] = [];
  const file: MediaFile = {
    contentType: "image/png",
    facts: async () => ({ sizeBytes: 4096, etag: '"e"', md5: "" }),
    read(first, last) {
      const stream = createReadStream(join(creativesDir(), "ad-bakery.png"), { start: first, end: last });
      opened.push(stream);
      return stream;
    },
  };
  const { network } = inside({ ...smallWorld(), faults: [{ do: effects }] });
  const port = await openPort("media", "127.0.0.1", 0, false);
  onTestFinished(() => port.close());
  port.answerWith(mediaApp(network, new Map([[PATH, file]])));
  return { url: port.url, opened, clock: network.clock };
}

it("closes a file of which a fault lets no byte out", async () => {
  const { url, opened } = await listenerWith({ truncateAt: 0 });

  expect((await exchange(url, PATH)).body).toHaveLength(0);

  await vi.waitFor(() => expect(opened.map(({ closed }) => closed)).toEqual([true]));
});

it("closes a file whose client has gone while a fault held the answer back", async () => {
  const { url, opened } = await listenerWith({ latencyMs: 5000 });
  const asked = get(url + PATH);
  asked.on("error", () => {});
  await vi.waitFor(() => expect(opened).toHaveLength(1));

  asked.destroy();

  await vi.waitFor(() => expect(opened.map(({ closed }) => closed)).toEqual([true]));
});
