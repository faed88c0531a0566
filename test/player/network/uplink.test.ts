import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readAccess } from "../../../src/player/config/access.ts";
import { type ConfigReading, readConfig, secretsIn } from "../../../src/player/config/config.ts";
import type { Environment } from "../../../src/player/config/environment.ts";
import { hasMetUnknownSigner, isUnknownSigner } from "../../../src/player/network/trust.ts";
import { DIRECT, requestsBy, type Uplink } from "../../../src/player/network/uplink.ts";
import { serveByTls } from "../../client/server.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { makeCertificates } from "../../support/site/certificates.ts";

const PROXY = "http://proxy.example:3128";
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

type Files = Readonly<Record<string, string | Buffer>>;

/** A folder with a configuration whose `network` says this, and beside it files by name. */
function written(network: object, files: Files = {}) {
  const folder = temporaryFolder();
  const path = join(folder, "config.json");
  const least = { baseUrl: "https://service.example", orgToken: "org_one", screenId: "screen-1" };
  writeFileSync(path, JSON.stringify({ ...least, dataDir: folder, network }), { mode: 0o600 });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o600 });
  return { folder, path };
}

function read(network: object, env: Environment = {}, files: Files = {}): ConfigReading {
  return readConfig({ path: written(network, files).path, env });
}

function uplink(reading: ConfigReading): Uplink {
  if (reading.kind === "bad") throw new Error(JSON.stringify(reading.problems));
  return reading.config.network.uplink;
}

function problems(reading: ConfigReading): string[] {
  return reading.kind === "ok" ? [] : reading.problems.map(({ path, message }) => `${path} ${message}`);
}

function warnings(reading: ConfigReading): readonly string[] {
  return reading.kind === "ok" ? reading.warnings : [];
}

describe("the proxy of a configuration", () => {
  it("is none where nothing names one", () => {
    expect(uplink(read({}))).toEqual({ http: null, https: null, bypass: "", namedBy: null, certificates: [] });
  });

  it("is network.proxy for every request, whatever the variables say, and NO_PROXY holds for it", () => {
    const env = { HTTPS_PROXY: "http://other.example:1", http_proxy: "http://other.example:2", NO_PROXY: "a.example" };
    const proxy = { url: PROXY, authorization: null };
    const expected = { http: proxy, https: proxy, bypass: "a.example", namedBy: "network.proxy" };
    expect(uplink(read({ proxy: PROXY }, env))).toMatchObject(expected);
  });

  it("is that of the variables, by scheme, in either case, the lower one first", () => {
    const env = {
      ...{ HTTPS_PROXY: "http://upper.example:1", https_proxy: "http://lower.example:2" },
      ...{ HTTP_PROXY: "upper.example:3", NO_PROXY: "upper.example", no_proxy: "lower.example" },
    };
    expect(uplink(read({}, env))).toMatchObject({
      https: { url: "http://lower.example:2" },
      http: { url: "http://upper.example:3" },
      bypass: "lower.example",
      namedBy: "https_proxy and HTTP_PROXY",
    });
  });

  it("is none, variables or not, where network.proxy is null", () => {
    expect(uplink(read({ proxy: null }, { HTTPS_PROXY: PROXY })).https).toBeNull();
    expect(uplink(read({}, { HTTPS_PROXY: PROXY, SPOTLOOP_NETWORK_PROXY: "null" })).https).toBeNull();
  });

  it("must be an http or https address without user and password", () => {
    expect(problems(read({ proxy: "socks5://proxy.example:1080" }))).toEqual([
      "network.proxy must be an http or https address, such as http://proxy.example:3128",
    ]);
    expect(problems(read({ proxy: "http://user:word@proxy.example" }))).toEqual([
      "network.proxy must be without user and password: network.proxyAuthFile holds them",
    ]);
  });

  it("is not one of the variables that cannot be used, which is told without what they hold", () => {
    const reading = read({}, { HTTPS_PROXY: "socks5://me:s3cret@proxy.example:1080" });
    expect(uplink(reading).https).toBeNull();
    expect(warnings(reading)).toContain("HTTPS_PROXY is not the address of an http proxy: it is not used");
  });
});

describe("a configuration that wants no proxy", () => {
  it.each([{ NODE_USE_ENV_PROXY: "1" }, { NODE_OPTIONS: "--use-env-proxy" }])(
    "has none where the runtime is told to go by the environment: %j",
    async (told) => {
      const server = createServer((request, response) => response.end(request.url));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/asked`;
      const uplinkUrl = new URL("../../../src/player/network/uplink.ts", import.meta.url);
      const script = `
        const { DIRECT, requestsBy } = await import(${JSON.stringify(uplinkUrl)});
        const { fetch, exactGet } = requestsBy(DIRECT);
        console.log(await (await fetch(${JSON.stringify(url)})).text());
        const exact = await exactGet(${JSON.stringify(url)}, "/exactly/{this}", {}, AbortSignal.timeout(5000));
        console.log(exact.status);`;
      const env = { ...process.env, ...told, HTTP_PROXY: "http://127.0.0.1:1" };
      const args = ["--input-type=module", "--eval", script];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      expect(stdout).toBe("/asked\n200\n");
    },
  );
});

// They are made by openssl, which Windows does not have.
describe.skipIf(process.platform === "win32")("certificates", () => {
  it("are checked whatever a variable says, and so the configuration warns", async () => {
    const certificates = makeCertificates(temporaryFolder(), ["localhost"]);
    const { url } = await serveByTls(certificates, (_, response) => response.end());
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(warnings(read({}, process.env))).toContainEqual(
      expect.stringContaining("NODE_TLS_REJECT_UNAUTHORIZED is not heeded"),
    );
    const { fetch } = requestsBy(DIRECT);
    const asked = fetch(url);
    await expect(asked).rejects.toMatchObject({ cause: { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" } });
  });

  it("of an authority that was made anew under its old name are nobody's that is trusted, which is remembered", async () => {
    const { authority } = makeCertificates(temporaryFolder(), ["localhost"]);
    // Many proxies that look into TLS do not say by which of an authority's keys they sign.
    const renewed = makeCertificates(temporaryFolder(), ["localhost"], "authorityKeyIdentifier=none\n");
    const { url } = await serveByTls(renewed, (_, response) => response.end());
    const { fetch } = requestsBy(uplink(read({ caFile: authority })), "localhost");
    expect(hasMetUnknownSigner()).toBe(false);
    const failure = await fetch(url).catch((error: unknown) => error);
    expect(isUnknownSigner(failure)).toBe(true);
    await expect(fetch(url)).rejects.toThrow();
    expect(hasMetUnknownSigner()).toBe(true);
  });
});

describe("the user and password of a proxy", () => {
  it("come from a file, for a proxy of the variables, too", () => {
    const files = { auth: "kiosk:pass:word\n" };
    const authorization = basic("kiosk:pass:word");
    expect(uplink(read({ proxy: PROXY, proxyAuthFile: "auth" }, {}, files)).http).toEqual({
      url: PROXY,
      authorization,
    });
    const env = { HTTPS_PROXY: "http://other:thing@proxy.example:3128" };
    expect(uplink(read({ proxyAuthFile: "auth" }, env, files)).https).toEqual({ url: PROXY, authorization });
  });

  it("come from a file as Notepad or PowerShell writes it", () => {
    for (const auth of [Buffer.from("\ufeffkiosk:word"), Buffer.from("\ufeffkiosk:word\r\n", "utf16le")]) {
      const reading = read({ proxy: PROXY, proxyAuthFile: "auth" }, {}, { auth });
      expect(uplink(reading).http?.authorization).toBe(basic("kiosk:word"));
    }
  });

  it("come from a variable's address where there is no file", () => {
    const env = { HTTPS_PROXY: "http://kiosk:p%40ss@proxy.example:3128" };
    expect(uplink(read({}, env)).https).toEqual({ url: PROXY, authorization: basic("kiosk:p@ss") });
  });

  it("are secrets, as they are and as they are sent", () => {
    const reading = read({ proxy: PROXY, proxyAuthFile: "auth" }, {}, { auth: "kiosk:pass:word" });
    if (reading.kind === "bad") throw new Error("bad");
    const sent = Buffer.from("kiosk:pass:word").toString("base64");
    expect(secretsIn(reading.config)).toEqual(["org_one", sent, "pass:word", sent, "pass:word"]);
  });

  it.each([
    ["", "which is not one line of user:password"],
    ["kiosk", "which is not one line of user:password"],
    ["kiosk:a\nother:b\n", "which is not one line of user:password"],
    [":word", "which is not one line of user:password"],
  ])("are refused where the file holds %j, without its content", (text, problem) => {
    expect(problems(read({ proxy: PROXY, proxyAuthFile: "auth" }, {}, { auth: text }))).toEqual([
      expect.stringMatching(new RegExp(`^network.proxyAuthFile names .*[/\\\\]auth, ${problem}$`)),
    ]);
  });

  it("are told of where the file is not there, or there is no proxy", () => {
    expect(problems(read({ proxy: PROXY, proxyAuthFile: "auth" }))).toEqual([
      expect.stringMatching(/^network.proxyAuthFile names .*[/\\]auth, which cannot be read \(ENOENT\)$/),
    ]);
    expect(warnings(read({ proxyAuthFile: "auth" }, {}, { auth: "kiosk:word" }))).toEqual([
      "network.proxyAuthFile is of no use: no proxy is named",
    ]);
  });

  it.skipIf(process.platform === "win32")("are told of where others can read them", () => {
    const { path, folder } = written({ proxy: PROXY, proxyAuthFile: "auth" }, { auth: "kiosk:word" });
    chmodSync(join(folder, "auth"), 0o644);
    const reading = readConfig({ path, env: {} });
    expect(warnings(reading)).toEqual([
      expect.stringMatching(/holds the proxy's password and can be read by others: chmod 600/),
    ]);
    expect(reading.watch).toContain(join(folder, "auth"));
  });
});

describe("the certificates of a configuration", () => {
  it("are those of network.caFile, however many", () => {
    const reading = read({ caFile: "ca.pem" }, {}, { "ca.pem": `# ours\n${CERTIFICATE}\n\n${CERTIFICATE}\n` });
    expect(uplink(reading).certificates).toEqual([CERTIFICATE, CERTIFICATE]);
  });

  it.each([
    ["nothing here", "holds no certificate in PEM"],
    [
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
      "holds a certificate that cannot be read: number 1",
    ],
  ])("are refused where the file holds %j", (text, problem) => {
    expect(problems(read({ caFile: "ca.pem" }, {}, { "ca.pem": text }))).toEqual([
      expect.stringMatching(new RegExp(`^network.caFile names .*[/\\\\]ca.pem, which ${problem}$`)),
    ]);
  });

  it("hold for commands, too, which complain of them and of nothing else but what they need", () => {
    const { path } = written({ proxy: PROXY, caFile: "ca.pem", monthlyBytes: "many" });
    const reading = readAccess({ path, env: {} });
    expect(reading.kind === "bad" && reading.problems.map((problem) => problem.path)).toEqual(["network.caFile"]);
  });
});

/** Of nobody's, and good for a hundred years. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBdjCCARugAwIBAgIUaQXjs1nl9BVSiIiZZAP2/3dj73MwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwET3VyczAgFw0yNjExMjMwOTM0MjFaGA8yMTI2MTAzMDA5MzQy
MVowDzENMAsGA1UEAwwET3VyczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIJD
Yb3jnFcVQukSoruMOsjlTXUQZduL2Dt7OT4RPbVhOo4zUIzAVSxmzj3ooRXBHenH
YK4x0IxXTOUjRWtMV4WjUzBRMB0GA1UdDgQWBBQJ8DamfcbexFXSO7HwMxVKtgri
XzAfBgNVHSMEGDAWgBQJ8DamfcbexFXSO7HwMxVKtgriXzAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0kAMEYCIQDFZVHWjb7FrPEZgeq7xl2igi9+5uyuu1l7
lhQHmr4QBwIhAPSGAKAYWC6BuwHxYbKQy4iWqUzqN8NHMGv2Nf2Cn5WC
-----END CERTIFICATE-----`;
