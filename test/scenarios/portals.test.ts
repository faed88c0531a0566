import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { openScenario } from "../support/player/scenario.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Items that are shown before, during and after what stands between; each is owed one proof. */
const ITEMS = 30;
const ITEM_MS = 3 * SECOND;

const LOGIN = "http://login.example/welcome";

function page(status = 200): Response {
  return new Response("<!doctype html><h1>Welcome to the hotel</h1>", {
    status,
    headers: { "content-type": "text/html; charset=utf-8", date: new Date(0).toUTCString() },
  });
}

/** Redirects every request to its own page. */
function redirecting(url: string): Response {
  return url === LOGIN ? page() : new Response(null, { status: 302, headers: { location: LOGIN } });
}

/** Lets through what it does not know, and forbids the proofs. */
function forbidding(url: string): Response | undefined {
  return url.includes("/pop/") ? page(403) : undefined;
}

/** A player that has shown some items and plays on; `between` answers in the network's place from when it is set. */
async function playing() {
  let between: (url: string) => Response | undefined = () => undefined;
  const scenario = await openScenario(temporaryFolder(), { meddle: (url) => between(url) });
  onTestFinished(() => scenario.close());
  const { emulator } = scenario;
  const item = { id: "short", title: "", mimeType: "image/png", width: 1, height: 1, duration: ITEM_MS };
  const short = { ...item, url: "creatives/ad-bakery.png" };
  emulator.next(
    emulator.screenId,
    Array.from({ length: ITEMS / 2 }, () => ({ news: short, ad: short })),
  );
  const noMore = { match: { surface: "service", route: "spot" }, do: { empty: true } } as const;
  emulator.setFaults([{ ...noMore, skip: ITEMS / 2 }]);
  return {
    scenario,
    put(answer: (url: string) => Response | undefined) {
      between = answer;
    },
    proofs() {
      const items = emulator.spots().flatMap(({ news, ad }) => [news, ad]);
      const verdicts = items.flatMap((one) => one?.pops.map(({ verdict }) => verdict) ?? []);
      return { ...scenario.player().proofs.counts(), verdicts };
    },
  };
}

const allDelivered = {
  ...{ owed: 0, delivered: ITEMS, refused: 0, expired: 0, oldestDeadline: null },
  verdicts: Array.from({ length: ITEMS }, () => "counted"),
};

describe("captive portals and firewalls", { timeout: 600_000 }, () => {
  it("lose none of 30 proofs by 50 s of a portal and 40 s of a firewall (G8)", async () => {
    const { scenario, put, proofs } = await playing();
    await scenario.pass(20 * SECOND);
    put((url) => (url.includes("/pop/") || url === LOGIN ? redirecting(url) : undefined));
    await scenario.pass(50 * SECOND);
    put(() => undefined);
    await scenario.pass(5 * SECOND);
    put(forbidding);
    await scenario.pass(40 * SECOND);
    put(() => undefined);
    await scenario.pass(3 * MINUTE, SECOND);
    expect(proofs()).toEqual(allDelivered);
  });

  it.each([
    ["answers everything with its login page", () => page()],
    ["redirects each request to its login page", redirecting],
  ])(
    "one that %s is told in health, shows house content, and costs no proof when somebody logs in",
    async (_, portal) => {
      const { scenario, put, proofs } = await playing();
      await scenario.pass(20 * SECOND);
      expect(scenario.player().network).toBe("ok");
      put(portal);
      await scenario.pass(10 * MINUTE, SECOND);
      expect(scenario.player().network).toBe("portal");
      expect(scenario.screen().health.report().onAir).toBe("house");
      const { owed, refused, expired } = proofs();
      expect({ some: owed > 0, refused, expired }).toEqual({ some: true, refused: 0, expired: 0 });
      put(() => undefined);
      await scenario.pass(5 * MINUTE);
      expect(scenario.player().network).toBe("ok");
      expect(proofs()).toEqual(allDelivered);
    },
  );

  it("tell no time: a player that starts behind one knows as little of the service's clock as before (G13)", async () => {
    const { scenario, put } = await playing();
    put(() => page());
    await scenario.restart();
    await scenario.pass(5 * MINUTE, SECOND);
    expect(scenario.player().serviceClock.read().service).toBeNull();
    put(() => undefined);
    await scenario.pass(5 * MINUTE, SECOND);
    expect(scenario.player().serviceClock.read().service).not.toBeNull();
  });
});
