import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../machine/temporary-folder.ts";
import { freePort, isExecutable, programAt, type SystemServer, startServer } from "./server.ts";

/** Who checks passwords for Squid, where distributions put it. */
const HELPERS: readonly string[] = ["/usr/lib/squid/basic_ncsa_auth", "/usr/lib64/squid/basic_ncsa_auth"];

/** What the tests with Squid and nginx lack on this machine, or null. */
export function lacking(): string | null {
  const absent = ["squid", "nginx", "openssl"].filter((name) => programAt(name) === null);
  if (absent.length > 0) return `not installed: ${absent.join(", ")}`;
  return HELPERS.some(isExecutable) ? null : "Squid's basic_ncsa_auth is not installed";
}

export interface Squid extends SystemServer {
  readonly url: string;
  /** What it was asked for: `CONNECT host:port`, `GET http://host/…`, with the status that it answered with. */
  asked(): readonly string[];
}

/** Starts Squid for one user, with its own idea of which names there are: all of these are this machine. */
export async function startSquid(
  user: { readonly name: string; readonly password: string },
  names: readonly string[],
  onPort?: number,
): Promise<Squid> {
  const program = programAt("squid");
  const helper = HELPERS.find(isExecutable);
  if (program === null || helper === undefined) throw new Error(`there is no Squid: ${lacking()}`);
  const folder = temporaryFolder();
  const port = onPort ?? (await freePort());
  const [passwords, hosts, log] = [join(folder, "passwords"), join(folder, "hosts"), join(folder, "access.log")];
  const hashed = execFileSync("openssl", ["passwd", "-apr1", "-stdin"], { input: user.password }).toString().trim();
  writeFileSync(passwords, `${user.name}:${hashed}\n`);
  writeFileSync(hosts, names.map((name) => `127.0.0.1 ${name}\n`).join(""));
  writeFileSync(log, "");
  const config = join(folder, "squid.conf");
  writeFileSync(
    config,
    `http_port 127.0.0.1:${port}
pid_filename ${join(folder, "squid.pid")}
cache_log ${join(folder, "cache.log")}
access_log stdio:${log}
buffered_logs off
hosts_file ${hosts}
dns_nameservers 127.0.0.1
dns_timeout 1 second
cache deny all
pinger_enable off
netdb_filename none
coredump_dir ${folder}
shutdown_lifetime 0 seconds
auth_param basic program ${helper} ${passwords}
auth_param basic children 2 startup=1
auth_param basic realm site
acl known proxy_auth REQUIRED
http_access deny !known
http_access allow all
`,
  );
  const server = await startServer(program, ["-N", "-n", `spotloop${port}`, "-f", config], { folder, port });
  return {
    ...server,
    url: `http://127.0.0.1:${port}`,
    asked() {
      const lines = readFileSync(log, "utf8").split("\n").filter(Boolean);
      return lines.map((line) => {
        const [, , , result = "", , method, target] = line.split(/\s+/);
        return `${method} ${target} ${result.split("/")[1]}`;
      });
    },
  };
}
