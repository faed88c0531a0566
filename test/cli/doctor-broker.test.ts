import { readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { brokerFindings, type PlayerAtBroker } from "../../src/cli/doctor/broker-check.ts";
import type { Config } from "../../src/player/config/config.ts";
import { configFileSchema } from "../../src/player/config/schema.ts";
import { DIRECT } from "../../src/player/network/uplink.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { lackingBroker, openBroker } from "../support/site/broker.ts";
import { makeCertificates } from "../support/site/certificates.ts";

const PASSWORD = "right";

/** A broker with passwords, and what doctor says where a player's configuration has `changes`. */
async function site() {
  const broker = await openBroker("", { lobby: PASSWORD, console: "another" });
  const folder = temporaryFolder();
  const authFile = join(folder, "login");
  writeFileSync(authFile, `lobby:${PASSWORD}\n`);
  const written = { allow: ["restart"], broker: broker.url, clientId: "lobby", authFile };
  const ask = async (changes: object = {}, player: PlayerAtBroker = "apart") => {
    const caFile = broker.certificates.authority;
    const remote = configFileSchema.shape.remote.parse({ ...written, caFile, ...changes });
    const config = { remote, screens: [], network: { uplink: DIRECT } } as unknown as Config;
    const [finding] = await brokerFindings(config, player);
    return { told: `${finding?.verdict}: ${finding?.text}`, advice: finding?.advice ?? "" };
  };
  return { broker, ask, authFile, host: new URL(broker.url).host };
}

describe.skipIf(lackingBroker !== null)(
  `spotloop doctor at a broker (${lackingBroker ?? "Mosquitto is there"})`,
  () => {
    it("says that it lets the player in, and nothing where none is configured", async () => {
      const { ask, host } = await site();
      expect(await ask()).toEqual({
        told: `ok: ${host} lets lobby in, and subscribe to spotloop/lobby/commands`,
        advice: "",
      });
      expect((await ask({ broker: null })).told).toBe("undefined: undefined");
      expect((await ask({ allow: [] })).told).toBe("warning: is not used: remote.allow is empty");
    });

    it("leaves a player alone that is connected", async () => {
      const { broker, ask, host } = await site();
      const { connectAsync } = await import("mqtt");
      const ca = readFileSync(broker.certificates.authority);
      const login = { username: "lobby", password: PASSWORD, clientId: "lobby" };
      const player = await connectAsync(broker.url, { ca, ...login, protocolVersion: 5, reconnectPeriod: 0 });
      onTestFinished(() => player.endAsync(true));
      const { told } = await ask({}, "connected");
      expect(told).toBe(`ok: ${host} is reached; a login was not tried: the player that runs is connected`);
      await player.publishAsync("spotloop/lobby/answers", "{}", { qos: 1 });
      expect(player.connected).toBe(true);
    });

    it("says what it has against the login, the topic and the certificate, and what to mend", async () => {
      const { ask, authFile, host } = await site();
      const foreign = makeCertificates(temporaryFolder(), ["localhost"]).authority;
      const untrusted = await ask({ caFile: foreign });
      expect(untrusted.told).toContain(`warning: the certificate of ${host} is not trusted (`);
      expect(untrusted.advice).toContain("remote.caFile");
      const elsewhere = await ask({ broker: `mqtts://127.0.0.1:${host.split(":")[1]}` });
      expect(elsewhere.told).toContain("is for another name");
      writeFileSync(authFile, "lobby:wrong\n");
      const refused = await ask();
      expect(refused.told).toMatch(`warning: ${host} refuses the login of lobby (`);
      expect(refused.advice).toContain("remote.authFile");
      expect(refused.told + refused.advice).not.toContain("wrong");
      writeFileSync(authFile, "lobby\n");
      expect((await ask()).told).toBe("warning: remote.authFile is not one line of user:password");
    });

    it("says that nobody is there, that the name is not known, and that no TLS is spoken", async () => {
      const { ask } = await site();
      const plain = createServer((socket) => void socket.end("hello\r\n").on("error", () => {}));
      await new Promise<void>((resolve) => void plain.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void plain.close());
      const { port } = plain.address() as AddressInfo;
      expect((await ask({ broker: `mqtts://localhost:${port}` })).told).toContain("speaks no TLS");
      plain.close();
      expect((await ask({ broker: "mqtts://localhost:1" })).told).toBe(
        "warning: localhost:1 is not reached (ECONNREFUSED)",
      );
      expect((await ask({ broker: "mqtts://nobody.invalid:8883" })).told).toContain(
        "nobody.invalid:8883 is not found (",
      );
    });
  },
);
