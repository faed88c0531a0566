import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { run } from "../../scripts/setup/run.mjs";

const PUBLISH = join(import.meta.dirname, "../../assets/apt-repository/publish.sh");

/** A vendor's repository as `publish.sh` makes it, served on loopback. */
export interface Repository {
  readonly url: string;
  /** The folder with all of it; `public` in it is what is served. */
  readonly folder: string;
  readonly keyFile: string;
  /** Runs `publish.sh`; throws with what it said where it fails. */
  publish(...args: readonly string[]): Promise<string>;
  close(): void;
}

/** Makes a repository with a key of its own and nothing in it, in a folder that is not there yet. */
export async function openRepository(folder: string, signal: AbortSignal): Promise<Repository> {
  const env = { ...process.env, SPOTLOOP_REPOSITORY: folder };
  const publish = async (...args: readonly string[]) => {
    const { ok, said } = await run(PUBLISH, args, { signal, env });
    if (!ok) throw new Error(`publish.sh ${args.join(" ")}:\n${said}`);
    return said;
  };
  await publish("key", "Test Vendor <updates@vendor.example>");
  const server = createServer(({ url = "/" }, response) => {
    const path = join(folder, "public", normalize(decodeURIComponent(url)));
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined || !file.isFile()) return void response.writeHead(404).end();
    response.writeHead(200, { "content-length": file.size, "last-modified": file.mtime.toUTCString() });
    createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    folder,
    keyFile: join(folder, "spotloop.asc"),
    publish,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
