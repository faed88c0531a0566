import { expect, it, onTestFinished } from "vitest";
import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { openScenario, type Scenario } from "../support/player/scenario.ts";

const SECOND = 1_000;
const LENGTH_MS = 5 * SECOND;
const SPOTS = 100;
/** A download that never ends keeps every step waiting for it. */
const STEP_MS = 500;

const ad = {
  ...{ id: "ad-bakery", title: "bakery", mimeType: "image/png", width: 1280, height: 720, duration: LENGTH_MS },
  url: "creatives/ad-bakery.png",
};
const news = { ...ad, id: "news-headlines", mimeType: "image/jpeg", url: "creatives/news-headlines.jpg" };

/** A player whose news come slowly, and all else at once. */
async function opened(newsFirst: boolean, slowly: FaultFile["do"]): Promise<Scenario> {
  const scenario = await openScenario(temporaryFolder());
  onTestFinished(() => scenario.close());
  const { emulator } = scenario;
  emulator.next(
    emulator.screenId,
    Array.from({ length: SPOTS }, () => ({ newsFirst, news, ad })),
  );
  emulator.setFaults([{ match: { route: "media", kind: "news" }, do: slowly }]);
  return scenario;
}

function shown({ stage }: Scenario): string[] {
  return stage.showings.map(({ item }) => item);
}

it.each([
  ["first", true],
  ["second", false],
])(
  "one slow download does not stop the screen: the other item of each spot plays where it is the %s",
  async (_, newsFirst) => {
    const scenario = await opened(newsFirst, { bytesPerSecond: 10 });
    await scenario.pass(75 * SECOND, STEP_MS);
    const asked = scenario.emulator.calls().filter(({ route }) => route === "spot").length;
    expect(shown(scenario).filter((item) => item === "ad-bakery").length).toBeGreaterThanOrEqual(newsFirst ? 5 : 10);
    expect(asked).toBeGreaterThanOrEqual(newsFirst ? 5 : 10);
    expect(shown(scenario)).not.toContain("news-headlines");
  },
);

it("an item that spot after spot asks for is downloaded once, and plays as soon as it is there", async () => {
  // The network's delay is in real time: here, half a minute and more of the player's.
  const scenario = await opened(false, { latencyMs: 3 * SECOND });
  const isShown = () => shown(scenario).includes("news-headlines");
  for (let passed = 0; passed < 300 * SECOND && !isShown(); passed += STEP_MS) await scenario.pass(STEP_MS, STEP_MS);
  expect(shown(scenario).indexOf("news-headlines")).toBeGreaterThan(1);
  const fetched = scenario.emulator.calls().filter(({ path }) => path.includes("news-headlines"));
  expect(fetched).toHaveLength(1);
});
