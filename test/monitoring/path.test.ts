import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { type RequestOptions, request } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { startHealth } from "../../src/player/health/health.ts";
import { createMetrics, type Metrics } from "../../src/player/health/metrics.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { type Certificates, makeCertificates } from "../support/site/certificates.ts";
import { freePort, programAt, startServer } from "../support/site/server.ts";

const ASSETS = join(import.meta.dirname, "..", "..", "assets", "monitoring");
/** How often is looked whether what was scraped has come, and how long. */
const LOOK_EVERY_MS = 200;
const LOOKS = 150;

const prometheus = programAt("prometheus");
const lacking = prometheus === null ? "prometheus is not installed" : null;

describe.skipIf(lacking !== null)(
  `the way from a kiosk to the fleet's server (${lacking ?? "Prometheus is there"})`,
  () => {
    it("is open to the kiosk's own certificate, and leads there under the machine's name", async () => {
      const metrics = createMetrics();
      metrics.restarts.set(3);
      const folder = temporaryFolder();
      const certificates = makeCertificates(folder, ["localhost"]);
      const server = await startedServer(certificates);
      await startedAgent(certificates, { server, player: await healthPort(metrics) });
      const kiosk = { instance: "kiosk-7", job: "spotloop" };
      expect(await seriesOf("spotloop_restarts", server, certificates)).toEqual([
        { metric: { __name__: "spotloop_restarts", ...kiosk }, value: [expect.any(Number), "3"] },
      ]);
      expect(await seriesOf("up", server, certificates)).toMatchObject([
        { metric: kiosk, value: [expect.any(Number), "1"] },
      ]);
      await expect(ask("up", server, { ca: readFileSync(certificates.authority) })).rejects.toThrow();
    });
  },
);

async function healthPort(metrics: Metrics): Promise<number> {
  const report = () => {
    throw new Error("not asked for");
  };
  const health = await startHealth({ port: 0, metrics, report, screenshot: async () => null });
  if (health.kind !== "listening") throw new Error(health.code);
  onTestFinished(() => health.close());
  return health.port;
}

/** The fleet's server by `server.yml`, on a port of its own; which one. */
async function startedServer(certificates: Certificates): Promise<number> {
  const port = await freePort();
  const folder = folderWith(certificates, ["server.yml", "server-web.yml", "spotloop.rules.yml"]);
  const args = ["--config.file=server.yml", "--web.config.file=server-web.yml", "--web.enable-remote-write-receiver"];
  await started([...args, "--storage.tsdb.path=data"], folder, port);
  return port;
}

/** A kiosk's agent by `agent.yml`, in a hurry. */
async function startedAgent(certificates: Certificates, ports: { readonly server: number; readonly player: number }) {
  const folder = folderWith(certificates, ["agent.yml"], {
    "monitoring.example": `localhost:${ports.server}`,
    "127.0.0.1:8790": `127.0.0.1:${ports.player}`,
    "scrape_interval: 30s": "scrape_interval: 1s",
  });
  const args = ["--config.file=agent.yml", "--enable-feature=agent,expand-external-labels"];
  await started([...args, "--storage.agent.path=data"], folder, await freePort(), { HOSTNAME: "kiosk-7" });
}

/** A folder with files of the assets, certificates beside them, and other things changed by name. */
function folderWith(
  { authority, server, key }: Certificates,
  files: readonly string[],
  changes: Readonly<Record<string, string>> = {},
): string {
  const folder = temporaryFolder();
  const copies = {
    "ca.pem": authority,
    "server.pem": server,
    "server.key": key,
    "kiosk.pem": server,
    "kiosk.key": key,
  };
  for (const [name, from] of Object.entries(copies)) cpSync(from, join(folder, name));
  for (const file of files) {
    const text = readFileSync(join(ASSETS, file), "utf8").replaceAll("/etc/prometheus/", "");
    const changed = Object.entries(changes).reduce((all, [from, to]) => all.replaceAll(from, to), text);
    writeFileSync(join(folder, file), changed);
  }
  return folder;
}

async function started(args: readonly string[], folder: string, port: number, env: NodeJS.ProcessEnv = {}) {
  const listen = `--web.listen-address=127.0.0.1:${port}`;
  const server = await startServer(prometheus ?? "", [...args, listen], { folder, port, env });
  onTestFinished(() => server.stop());
}

/** What the server knows by a query, once it knows something. */
async function seriesOf(query: string, port: number, { authority, server, key }: Certificates): Promise<unknown> {
  const [ca, cert, secret] = [authority, server, key].map((file) => readFileSync(file));
  for (let look = 0; look < LOOKS; look++) {
    const found = await ask(query, port, { ca, cert, key: secret });
    if (found.length > 0) return found;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`nothing of ${query} has come`);
}

function ask(query: string, port: number, tls: RequestOptions): Promise<readonly unknown[]> {
  const path = `/api/v1/query?query=${encodeURIComponent(query)}`;
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", servername: "localhost", port, path, agent: false, ...tls },
      async (reply) => {
        const chunks: Buffer[] = [];
        for await (const chunk of reply) chunks.push(chunk);
        resolve(JSON.parse(Buffer.concat(chunks).toString()).data.result);
      },
    );
    asked.on("error", reject);
    asked.end();
  });
}
