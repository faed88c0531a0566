import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TlsOptions } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceFindings } from "../../src/cli/doctor/service-checks.ts";
import type { Access } from "../../src/player/config/access.ts";
import { DIRECT } from "../../src/player/network/uplink.ts";
import { answer, nobody, serve, serveByTls } from "../client/server.ts";
import { running } from "../emulator/running.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { makeCertificates } from "../support/site/certificates.ts";
import { startNginx } from "../support/site/nginx.ts";
import { lacking, startSquid } from "../support/site/squid.ts";
import { type Surroundings, spotloopWith } from "./vendor/spotloop.ts";

const SERVICE = "service.signage.test";
const MEDIA = "media.signage.test";
const USER = { name: "kiosk", password: "pass: word" };

/** A network behind nginx with a private authority, and Squid in front of it; what a player there is configured with. */
async function site() {
  const emulator = await running();
  emulator.clock.set({ mode: "real", now: Date.now() });
  const nginx = await startNginx([
    { name: SERVICE, upstream: emulator.baseUrl },
    { name: MEDIA, upstream: emulator.mediaUrl },
  ]);
  onTestFinished(() => nginx.stop());
  const squid = await startSquid(USER, [SERVICE, MEDIA]);
  onTestFinished(() => squid.stop());
  const folder = temporaryFolder();
  const [ca, auth] = [join(folder, "ca.pem"), join(folder, "auth")];
  writeFileSync(ca, nginx.authority);
  writeFileSync(auth, `${USER.name}:${USER.password}\n`, { mode: 0o600 });
  const env = {
    SPOTLOOP_BASE_URL: `https://${SERVICE}:${nginx.port}`,
    SPOTLOOP_ORG_TOKEN: emulator.orgToken,
    SPOTLOOP_SCREEN_ID: emulator.screenId,
    SPOTLOOP_DATA_DIR: temporaryFolder(),
    SPOTLOOP_NETWORK_PROXY: squid.url,
    SPOTLOOP_NETWORK_PROXY_AUTH_FILE: auth,
    SPOTLOOP_NETWORK_CA_FILE: ca,
  };
  return { env, auth, port: nginx.port, squid };
}

/** What doctor says of each thing, and what to do about it. */
async function said(env: Readonly<Record<string, string>>, args: readonly string[] = [], surroundings?: Surroundings) {
  const { code, stdout, stderr } = await spotloopWith(env)(["doctor", "--json", ...args], surroundings);
  const { findings } = JSON.parse(stdout) as {
    findings: { name: string; verdict: string; text: string; advice: string | null }[];
  };
  const of = (name: string) => findings.find((finding) => finding.name === name);
  const line = (name: string) => `${of(name)?.verdict}: ${of(name)?.text}`;
  return { code, line, advice: (name: string) => of(name)?.advice, all: stdout + stderr };
}

describe.skipIf(lacking() !== null)(
  `spotloop doctor behind a proxy (${lacking() ?? "Squid and nginx are there"})`,
  () => {
    it("goes every way through the proxy, with its login and its certificates", async () => {
      const { env, port, squid } = await site();

      const bundle = join(temporaryFolder(), "bundle.json");
      const { code, line, all } = await said(env, ["--bundle", bundle]);

      expect(line("proxy")).toBe(`ok: ${squid.url}, by network.proxy, with a password`);
      expect(line("name")).toBe(`ok: ${SERVICE} is not known here: the proxy has to know it`);
      expect(line("service")).toMatch(/^ok: answers in \d+ ms$/);
      for (const kind of ["news", "ad"]) expect(line(`${kind} media`)).toBe(`ok: comes from ${MEDIA}:${port}`);
      expect(line("proof host")).toBe(`ok: ${MEDIA}:${port} answers`);
      expect(code).toBe(0);
      const told = all + readFileSync(bundle, "utf8");
      expect(told).toContain(squid.url);
      expect(told).not.toContain(USER.password);
      expect(told).not.toContain(Buffer.from(`${USER.name}:${USER.password}`).toString("base64"));
    });

    it("says that the proxy refuses the password, and what to mend", async () => {
      const { env, auth } = await site();
      writeFileSync(auth, "kiosk:another");

      const { code, line, advice } = await said(env);

      expect(line("service")).toBe("failed: does not answer (the proxy wants a valid user and password (HTTP 407))");
      expect(advice("service")).toContain("network.proxyAuthFile");
      expect(code).toBe(69);
    });

    it("says that nobody is where the proxy should be", async () => {
      const { env } = await site();

      const { line, advice } = await said({ ...env, SPOTLOOP_NETWORK_PROXY: await nobody() });

      expect(line("service")).toBe("failed: does not answer (the proxy does not answer (ECONNREFUSED))");
      expect(advice("service")).toContain("network.proxy");
    });

    it("trusts whom this machine trusts, without network.caFile", async () => {
      const { SPOTLOOP_NETWORK_CA_FILE: ca, ...env } = (await site()).env;

      // Of a process that has read no store yet.
      const { line, code } = await said({ ...env, SSL_CERT_FILE: ca }, [], { stdin: "" });

      expect(line("service")).toMatch(/^ok: answers in \d+ ms$/);
      for (const kind of ["news", "ad"]) expect(line(`${kind} media`)).toMatch(/^ok: comes from /);
      expect(line("proof host")).toMatch(/^ok: .* answers$/);
      expect(code).toBe(0);
    });

    it("says that the certificate is not known, and to set network.caFile", async () => {
      const { SPOTLOOP_NETWORK_CA_FILE: _, ...env } = (await site()).env;

      const { line, advice } = await said(env);

      expect(line("service")).toBe(
        "failed: does not answer (its certificate is not known: UNABLE_TO_VERIFY_LEAF_SIGNATURE)",
      );
      expect(advice("service")).toContain("Set network.caFile");
    });
  },
);

/** Windows comes without openssl. */
const isWindows = process.platform === "win32";

describe.skipIf(isWindows)("spotloop doctor where a service has a private authority", () => {
  it("trusts its certificate where this machine does, and else says who would have to", async () => {
    const { authority, ...shown } = makeCertificates(temporaryFolder(), ["localhost"]);
    const { url } = await serveByTls(shown, (_, response) => answer(200, {}, "[]")(response));
    const known = { SPOTLOOP_BASE_URL: url, SPOTLOOP_ORG_TOKEN: "org", SPOTLOOP_SCREEN_ID: "1" };
    const env = { ...known, SPOTLOOP_DATA_DIR: temporaryFolder() };

    const trusted = await said({ ...env, SSL_CERT_FILE: authority }, [], { stdin: "" });
    // It is valid for two days.
    expect(trusted.line("tls")).toMatch(/^warning: TLSv1\.3, valid until /);
    expect(trusted.line("service")).toMatch(/^ok: answers in \d+ ms$/);
    const foreign = await said(env, [], { stdin: "" });
    expect(foreign.line("tls")).toContain("its certificate is not known: UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    expect(foreign.advice("tls")).toContain("network.caFile");
  });
});

describe("spotloop doctor where what answers is not what the address says", () => {
  const player = { SPOTLOOP_ORG_TOKEN: "org", SPOTLOOP_SCREEN_ID: "1" };

  it.skipIf(isWindows)("says that a certificate is for another name", async () => {
    const { authority, ...shown } = makeCertificates(temporaryFolder(), ["other.example"]);
    const { url } = await serveByTls(shown, (_, response) => answer(200, {}, "[]")(response));
    const ca = { SPOTLOOP_BASE_URL: url, SPOTLOOP_NETWORK_CA_FILE: authority };
    const { line, advice } = await said({ ...player, ...ca, SPOTLOOP_DATA_DIR: temporaryFolder() }, [], { stdin: "" });
    expect(line("tls")).toContain("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(advice("tls")).toContain("for another name");
  });

  it("says that nobody speaks TLS there", async () => {
    const { url } = await serve((_, response) => answer(200, {}, "[]")(response));
    const secure = { SPOTLOOP_BASE_URL: url.replace("http:", "https:"), SPOTLOOP_DATA_DIR: temporaryFolder() };
    const { advice } = await said({ ...player, ...secure }, [], { stdin: "" });
    for (const name of ["tls", "service"]) expect(advice(name)).toContain("no TLS is spoken");
  });

  it.skipIf(isWindows).each([
    ["older TLS", { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }],
    ["HTTP/2 alone", { ALPNProtocols: ["h2"] }],
  ] as [string, TlsOptions][])("says that TLS is spoken otherwise there: %s", async (_, spoken) => {
    const { authority, server, key } = makeCertificates(temporaryFolder(), ["localhost"]);
    const old = createServer({ ...spoken, cert: readFileSync(server), key: readFileSync(key) });
    await new Promise<void>((resolve) => void old.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void old.close());
    const url = `https://localhost:${(old.address() as AddressInfo).port}`;
    const known = { SPOTLOOP_BASE_URL: url, SPOTLOOP_NETWORK_CA_FILE: authority };
    const { line, advice } = await said({ ...player, ...known, SPOTLOOP_DATA_DIR: temporaryFolder() }, [], {
      stdin: "",
    });
    expect(line("service")).toContain("does not answer (ERR_SSL_");
    expect(advice("service")).toContain("TLS 1.2 or newer");
  });
});

describe("spotloop doctor behind a captive portal", () => {
  it.each([
    ["that answers with its page", answer(200, { "content-type": "text/html" }, "<h1>Welcome</h1>")],
    ["that leads elsewhere", answer(302, { location: "http://login.example/" })],
  ])("%s says so", async (_, portal) => {
    const { url } = await serve((_request, response) => portal(response));
    const known = { SPOTLOOP_BASE_URL: url, SPOTLOOP_ORG_TOKEN: "org", SPOTLOOP_SCREEN_ID: "screen" };

    const { code, line, advice } = await said({ ...known, SPOTLOOP_DATA_DIR: temporaryFolder() });

    expect(line("service")).toBe("failed: a captive portal answers in its place");
    expect(advice("service")).toContain("Log in");
    expect(code).toBe(69);
  });
});

it("a service whose answer does not end is judged by how it begins, and not read on", async () => {
  let isEnded = false;
  const { url } = await serve((_, response) => {
    response.writeHead(200, { "content-type": "application/json", date: new Date().toUTCString() });
    const drip = setInterval(() => response.write("[".repeat(1_000)), 20);
    response.on("close", () => {
      clearInterval(drip);
      isEnded = true;
    });
  });
  const findings = await serviceFindings({ baseUrl: url, orgToken: "org", uplink: DIRECT } as Access, {});
  const said = findings.map(({ name, verdict }) => `${name}: ${verdict}`);
  expect(said).toEqual(["name: ok", "proxy: ok", "service: ok", "token: ok", "clock: ok"]);
  await expect.poll(() => isEnded).toBe(true);
});
