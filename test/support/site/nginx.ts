import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../machine/temporary-folder.ts";
import { makeCertificates } from "./certificates.ts";
import { freePort, programAt, type SystemServer, startServer } from "./server.ts";

/** An HTTP server by its name, and what it is answered by. */
export interface Front {
  readonly name: string;
  /** Such as `http://127.0.0.1:8787`. */
  readonly upstream: string;
}

export interface Nginx extends SystemServer {
  /** The certificate of the private authority that signed for it, PEM. */
  readonly authority: string;
}

/** Starts nginx in front of servers, by TLS of a private authority; it writes the fronts' names into what they answer. */
export async function startNginx(fronts: readonly Front[]): Promise<Nginx> {
  const program = programAt("nginx");
  if (program === null) throw new Error("there is no nginx");
  const folder = temporaryFolder();
  const port = await freePort();
  const { authority, server, key } = makeCertificates(
    folder,
    fronts.map(({ name }) => name),
  );
  const renamed = fronts.map(({ name, upstream }) => `sub_filter "${upstream}" "https://${name}:${port}";`);
  const blocks = fronts.map(
    ({ name, upstream }) => `
    server {
      listen 127.0.0.1:${port} ssl;
      server_name ${name};
      location / {
        proxy_pass ${upstream};
        proxy_set_header Host ${new URL(upstream).host};
        proxy_set_header Accept-Encoding "";
        sub_filter_once off;
        sub_filter_types application/json text/css application/javascript;
        ${renamed.join("\n        ")}
      }
    }`,
  );
  const kept = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const config = join(folder, "nginx.conf");
  writeFileSync(
    config,
    `daemon off;
  master_process off;
  pid ${join(folder, "nginx.pid")};
  error_log stderr warn;
  events { worker_connections 256; }
  http {
    access_log off;
    server_names_hash_bucket_size 128;
    ${kept.map((name) => `${name}_temp_path ${join(folder, name)};`).join("\n    ")}
    ssl_certificate ${server};
    ssl_certificate_key ${key};
    ${blocks.join("\n")}
  }
`,
  );
  const started = await startServer(program, ["-e", "stderr", "-p", folder, "-c", config], { folder, port });
  return { ...started, authority: readFileSync(authority, "utf8") };
}
