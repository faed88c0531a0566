import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../machine/temporary-folder.ts";
import { type Certificates, makeCertificates, makeClientCertificate } from "./certificates.ts";
import { freePort, programAt, type SystemServer, startServer } from "./server.ts";

/** Why tests with a broker cannot run here, or null. */
export const lackingBroker = programAt("mosquitto") === null ? "mosquitto is not installed" : null;

/** Mosquitto on a port of its own, over TLS, as docs/remote.md sets it up. */
export interface Broker {
  readonly url: string;
  readonly folder: string;
  readonly certificates: Certificates;
  /** A certificate of its authority, for somebody who connects. */
  certificateFor(name: string): { readonly certificate: string; readonly key: string };
  /** Connects an operator's console, and hears all answers. */
  console(): Promise<MqttClient>;
  /** Ends it, and starts it again with what it keeps. */
  restart(whileDown?: () => Promise<void>): Promise<void>;
}

/** The rules of docs/remote.md: a player reads its own commands and writes its own answers, the console does the opposite. */
export const ACL = `pattern read spotloop/%u/commands
pattern write spotloop/%u/answers

user console
topic write spotloop/+/commands
topic read spotloop/+/answers
`;

/** The names on certificates are the users. */
const BY_CERTIFICATE = "require_certificate true\nuse_identity_as_username true";
const BY_PASSWORD = "password_file passwords";
/** No user may be another client. */
const LISTENER = `use_username_as_clientid true
allow_anonymous false
acl_file acl
max_queued_messages 10000
persistence true
persistence_location ./
`;

/** By this name only a proxy finds it. */
export const PROXIED = "broker.example";

/**
 * Starts a broker until the test is over, with one more line in its configuration. Users are known by their certificates, or
 * where passwords are given by these.
 */
export async function openBroker(
  more = "",
  passwords: Readonly<Record<string, string>> | null = null,
): Promise<Broker> {
  const folder = temporaryFolder();
  const certificates = makeCertificates(folder, ["localhost", PROXIED]);
  makeClientCertificate(folder, "console");
  const port = await freePort();
  const tls = `listener ${port} 127.0.0.1\ncafile ca.pem\ncertfile server.pem\nkeyfile server.key\n`;
  writeFileSync(join(folder, "acl"), ACL);
  const login = passwords === null ? BY_CERTIFICATE : BY_PASSWORD;
  writeFileSync(join(folder, "mosquitto.conf"), `per_listener_settings false\n${tls}${login}\n${LISTENER}${more}\n`);
  for (const [user, password] of Object.entries(passwords ?? {})) {
    writeFileSync(join(folder, "passwords"), "", { flag: "a", mode: 0o600 });
    execFileSync("mosquitto_passwd", ["-b", join(folder, "passwords"), user, password]);
  }
  const start = () => startServer(programAt("mosquitto") ?? "", ["-c", "mosquitto.conf"], { folder, port });
  let server: SystemServer = await start();
  onTestFinished(() => server.stop());
  const url = `mqtts://localhost:${port}`;
  return {
    ...{ url, folder, certificates },
    certificateFor: (name) => makeClientCertificate(folder, name),
    async console() {
      const ca = readFileSync(certificates.authority);
      const [cert, key] = [readFileSync(join(folder, "console.pem")), readFileSync(join(folder, "console.key"))];
      const session = { protocolVersion: 5, clientId: "console", clean: false, reconnectPeriod: 200 } as const;
      const properties = { sessionExpiryInterval: 600 };
      const login = passwords === null ? {} : { username: "console", password: passwords.console ?? "" };
      const client = await connectAsync(url, { ca, cert, key, ...login, ...session, properties });
      onTestFinished(() => client.endAsync(true));
      await client.subscribeAsync("spotloop/+/answers", { qos: 1 });
      return client;
    },
    async restart(whileDown = async () => {}) {
      await server.stop();
      await whileDown();
      server = await start();
    },
  };
}
