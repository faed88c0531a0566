import { describe, expect, it, onTestFinished } from "vitest";
import type { Emulator } from "../../src/emulator/main.ts";
import type { Uplink } from "../../src/player/network/uplink.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { openScenario } from "../support/player/scenario.ts";
import { type Nginx, startNginx } from "../support/site/nginx.ts";
import { lacking, type Squid, startSquid } from "../support/site/squid.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const SPOTS = 5;
const ITEM_MS = 3 * SECOND;

const SERVICE = "service.signage.test";
const MEDIA = "media.signage.test";
const USER = { name: "kiosk", password: "pass: word" };

/** Ways out by a proxy whose names and certificates only that site knows. */
function uplinkBy({ url }: Squid, { authority }: Nginx, password = USER.password): Uplink {
  const sent = Buffer.from(`${USER.name}:${password}`).toString("base64");
  const proxy = { url, authorization: `Basic ${sent}` };
  return { http: proxy, https: proxy, bypass: "", namedBy: "network.proxy", certificates: [authority] };
}

/** A player on a site: nothing but Squid leads out of it, and the network is behind nginx with a private authority. */
async function onSite() {
  let site: { squid: Squid; nginx: Nginx; uplink: Uplink } | null = null;
  const made = async ({ baseUrl, mediaUrl }: Pick<Emulator, "baseUrl" | "mediaUrl">) => {
    const nginx = await startNginx([
      { name: SERVICE, upstream: baseUrl },
      { name: MEDIA, upstream: mediaUrl },
    ]);
    onTestFinished(() => nginx.stop());
    const squid = await startSquid(USER, [SERVICE, MEDIA]);
    onTestFinished(() => squid.stop());
    return { squid, nginx, uplink: uplinkBy(squid, nginx) };
  };
  const scenario = await openScenario(temporaryFolder(), {
    prepare: async (emulator) => {
      site = await made(emulator);
      const item = { id: "short", title: "", mimeType: "image/png", width: 1, height: 1, duration: ITEM_MS };
      const short = { ...item, url: "creatives/ad-bakery.png" };
      emulator.next(
        emulator.screenId,
        Array.from({ length: SPOTS }, () => ({ news: short, ad: short })),
      );
      const noMore = { match: { surface: "service", route: "spot" }, do: { empty: true } } as const;
      emulator.setFaults([{ ...noMore, skip: SPOTS }]);
    },
    way: () => {
      if (site === null) throw new Error("there is no site yet");
      return { baseUrl: `https://${SERVICE}:${site.nginx.port}`, uplink: site.uplink };
    },
  });
  onTestFinished(() => scenario.close());
  if (site === null) throw new Error("there is no site");
  return { scenario, site: site as { squid: Squid; nginx: Nginx; uplink: Uplink } };
}

const allDelivered = { owed: 0, delivered: 2 * SPOTS, refused: 0, expired: 0, oldestDeadline: null };

describe.skipIf(lacking() !== null)(`behind a proxy (${lacking() ?? "Squid and nginx are there"})`, () => {
  it("plays and proves every item, by a login, a private authority and names that only the proxy knows", async () => {
    const { scenario, site } = await onSite();
    await scenario.pass(SPOTS * 2 * ITEM_MS + MINUTE);
    expect(scenario.player().proofs.counts()).toEqual(allDelivered);
    expect(scenario.emulator.audit()).toEqual([]);
    // A tunnel is in Squid's log once it has ended.
    await site.nginx.stop();
    const tunnels = () => new Set(site.squid.asked().filter((line) => line.startsWith("CONNECT")));
    await expect
      .poll(() => [...tunnels()].sort())
      .toEqual([`CONNECT ${MEDIA}:${site.nginx.port} 200`, `CONNECT ${SERVICE}:${site.nginx.port} 200`]);
  });

  it("says so where the password is wrong, keeps its proofs, and delivers them when it is mended", async () => {
    const { scenario, site } = await onSite();
    await scenario.pass(2 * ITEM_MS);
    scenario.cutNetwork(true);
    await scenario.pass(2 * ITEM_MS);
    site.uplink = uplinkBy(site.squid, site.nginx, "another");
    await scenario.restart();
    scenario.cutNetwork(false);
    await scenario.pass(10 * MINUTE, SECOND);
    const { owed, ...others } = scenario.player().proofs.counts();
    expect(owed).toBeGreaterThan(0);
    expect(others).toMatchObject({ refused: 0, expired: 0 });
    expect(scenario.screen().health.report().lastError).toBe(
      "the service is unavailable: the proxy wants a valid user and password (HTTP 407)",
    );
    site.uplink = uplinkBy(site.squid, site.nginx);
    await scenario.restart();
    await scenario.pass(10 * MINUTE, SECOND / 2);
    const counts = scenario.player().proofs.counts();
    expect(counts).toMatchObject({ owed: 0, refused: 0, expired: 0 });
    expect(counts.delivered).toBeGreaterThanOrEqual(owed);
  });

  it("says so where the proxy is gone, shows house content, and plays on when it is back", async () => {
    const { scenario, site } = await onSite();
    await scenario.pass(3 * ITEM_MS);
    const before = scenario.player().proofs.counts().delivered;
    await site.squid.stop();
    await scenario.pass(10 * MINUTE, SECOND);
    expect(scenario.screen().health.report()).toMatchObject({
      onAir: "house",
      lastError: "the service is unavailable: the proxy does not answer (ECONNREFUSED)",
    });
    const back = await startSquid(USER, [SERVICE, MEDIA], site.squid.port);
    onTestFinished(() => back.stop());
    await scenario.pass(10 * MINUTE, SECOND / 2);
    const { delivered, ...others } = scenario.player().proofs.counts();
    expect(delivered).toBeGreaterThan(before);
    expect(others).toMatchObject({ owed: 0, refused: 0, expired: 0 });
    expect(scenario.emulator.audit()).toEqual([]);
  });
});
