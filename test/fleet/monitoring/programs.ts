import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startChild } from "../../../scripts/setup/child.ts";
import { ROOT } from "../../../scripts/setup/paths.mjs";
import { freePort, programAt } from "../../support/site/server.ts";
import { atPace, durationAt, type Pace } from "../pace.ts";

const ASSETS = join(ROOT, "assets", "monitoring");

/** One of Prometheus' programs that runs, and answers on loopback. */
export interface MonitoringProgram {
  readonly origin: string;
  readonly pid: number;
  readonly folder: string;
  stop(): Promise<void>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

/** Where they keep their files, and how fast they live. */
export interface Site {
  readonly folder: string;
  readonly pace: Pace;
}

/** What an agent reads: a player by its machine's name. */
export interface Target {
  readonly name: string;
  readonly healthPort: number;
}

const MINUTE_MS = 60_000;

/** Alertmanager by `alertmanager.yml`, but that what it would mail goes to a URL. */
export function startAlertmanager(site: Site, webhook: string): Promise<MonitoringProgram> {
  const mail = /email_configs:\n {6}- to: .*\n/;
  const smtp = /global:\n(?: {2}smtp_.*\n)+/;
  const config = written(site, "alertmanager", ["alertmanager.yml"], (text) =>
    changed(changed(text, smtp, ""), mail, `webhook_configs:\n      - url: ${webhook}\n`),
  );
  const args = ["--config.file=alertmanager.yml", "--storage.path=data", "--cluster.listen-address="];
  return started("prometheus-alertmanager", args, config);
}

/** The fleet's server by `server.yml` and the rules, without its certificates. */
export function startServer(site: Site, alertmanager: string): Promise<MonitoringProgram> {
  const { speed } = site.pace;
  const folder = written(site, "server", ["server.yml", "spotloop.rules.yml"], (text, name) =>
    name === "server.yml" ? changed(text, /127\.0\.0\.1:9093/, new URL(alertmanager).host) : text,
  );
  return started(
    "prometheus",
    [
      ...["--config.file=server.yml", "--storage.tsdb.path=data"],
      ...["--web.enable-remote-write-receiver", "--web.enable-admin-api"],
      // What Prometheus has by default, for a fleet that lives faster.
      `--query.lookback-delta=${durationAt(speed, 5 * MINUTE_MS)}`,
      `--rules.alert.resend-delay=${durationAt(speed, MINUTE_MS)}`,
      `--rules.alert.for-grace-period=${durationAt(speed, 10 * MINUTE_MS)}`,
    ],
    folder,
  );
}

/** An agent by `agent.yml`, without its certificates: one that stands for those of several machines has them all. */
export function startAgent(site: Site, name: string, targets: readonly Target[], server: string) {
  const [only] = targets;
  const list = targets.map((one) => {
    return `      - targets: ["127.0.0.1:${one.healthPort}"]\n        labels: { kiosk: ${one.name} }\n`;
  });
  const folder = written(site, `agent-${name}`, ["agent.yml"], (text) => {
    const written = changed(text, /https:\/\/monitoring\.example/, server);
    const plain = changed(written, / {4}tls_config:\n(?: {6}.*\n)+/, remoteWriteDefaults());
    if (targets.length === 1) return changed(plain, /127\.0\.0\.1:8790/, `127.0.0.1:${only?.healthPort}`);
    const several = changed(plain, / {6}- targets: .*\n/, list.join(""));
    return changed(several, / {2}external_labels:\n(?: {4}.*\n)+/, "");
  });
  const args = ["--config.file=agent.yml", "--enable-feature=agent,expand-external-labels"];
  return started("prometheus", [...args, "--storage.agent.path=data"], folder, { HOSTNAME: name });
}

/** What Prometheus has by default, written out so that it can be made faster. */
function remoteWriteDefaults(): string {
  return "    queue_config:\n      batch_send_deadline: 5s\n";
}

/** A folder with files of the assets, changed and at the pace of the site. */
function written(
  { folder, pace }: Site,
  name: string,
  files: readonly string[],
  change: (text: string, file: string) => string,
): string {
  const own = join(folder, name);
  mkdirSync(own);
  for (const file of files) {
    writeFileSync(join(own, file), atPace(change(readFileSync(join(ASSETS, file), "utf8"), file), pace));
  }
  return own;
}

/** A text that must have what is to be changed in it. */
function changed(text: string, what: RegExp, into: string): string {
  if (!what.test(text)) throw new Error(`${what} is not in:\n${text}`);
  return text.replace(what, () => into);
}

const STARTS_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;

async function started(
  name: string,
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv = {},
): Promise<MonitoringProgram> {
  const program = programAt(name);
  if (program === null) throw new Error(`${name} is not installed`);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const listen = [...args, `--web.listen-address=127.0.0.1:${port}`, "--log.level=warn"];
  const child = startChild(program, listen, { cwd: folder, env: { ...process.env, ...env } });
  child.process.stdout?.resume();
  let end: string | null = null;
  void child.ended.then((why) => {
    end = why;
  });
  const giveUpAt = performance.now() + STARTS_WITHIN_MS;
  while (!(await isReady(origin))) {
    if (end !== null || performance.now() > giveUpAt)
      throw new Error(`${name}: ${end ?? "late"}: ${child.complaint()}`);
    await sleep(LOOK_EVERY_MS);
  }
  return {
    ...{ origin, pid: child.process.pid ?? 0, folder },
    stop: () => child.stop(),
    async kill() {
      child.process.kill("SIGKILL");
      await child.ended;
    },
  };
}

async function isReady(origin: string): Promise<boolean> {
  return fetch(`${origin}/-/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}
