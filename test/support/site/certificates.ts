import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Files of a private authority and of a server that it has signed for. */
export interface Certificates {
  readonly authority: string;
  readonly server: string;
  readonly key: string;
}

/** Has the authority of a folder sign a certificate for somebody who connects, by its name; the files of both. */
export function makeClientCertificate(
  folder: string,
  name: string,
): { readonly certificate: string; readonly key: string } {
  const [certificate, key, request] = ["pem", "key", "csr"].map((ending) => join(folder, `${name}.${ending}`)) as [
    string,
    string,
    string,
  ];
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const signed = ["-CA", join(folder, "ca.pem"), "-CAkey", join(folder, "ca.key"), "-CAcreateserial", "-days", "2"];
  execFileSync("openssl", ["req", ...ec, "-subj", `/CN=${name}`, "-keyout", key, "-out", request], { stdio: "pipe" });
  execFileSync("openssl", ["x509", "-req", "-in", request, ...signed, "-out", certificate], { stdio: "pipe" });
  return { certificate, key };
}

/** Makes a private authority in a folder, and a certificate for these names; `more`: what else its extensions say, by lines. */
export function makeCertificates(folder: string, names: readonly string[], more = ""): Certificates {
  const [authority, authorityKey] = [join(folder, "ca.pem"), join(folder, "ca.key")];
  const [server, key, request] = [join(folder, "server.pem"), join(folder, "server.key"), join(folder, "server.csr")];
  const extensions = join(folder, "server.ext");
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  writeFileSync(extensions, `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}\n${more}`);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  openssl("req", "-x509", ...ec, "-days", "2", "-subj", "/CN=Site", "-keyout", authorityKey, "-out", authority);
  openssl("req", ...ec, "-subj", "/CN=server", "-keyout", key, "-out", request);
  const signed = ["-CA", authority, "-CAkey", authorityKey, "-CAcreateserial", "-extfile", extensions];
  openssl("x509", "-req", "-in", request, "-days", "2", ...signed, "-out", server);
  return { authority, server, key };
}
