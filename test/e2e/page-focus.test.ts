import { expect, it, onTestFinished } from "vitest";
import { answer, serve } from "../client/server.ts";
import { HOSTILE } from "../support/creatives/hostile-site.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { eventually } from "../support/machine/processes.ts";
import { openRig } from "../support/player/rig.ts";

const NAMES = ["first", "second", "third"];
const TURN_MS = 2_500;
const LATE_MS = 1_500;

/** Says whether it has the focus at its first script and in the middle of its turn, and what it heard of it in between. */
const PAGE = `<!doctype html><meta charset="utf-8"><style>body { background: #5a6b3c }</style><input autofocus>
<script>
const told = [document.hasFocus()];
for (const name of ["focus", "blur"]) addEventListener(name, () => told.push(name));
setTimeout(() => {
  told.push(document.hasFocus(), document.querySelector("input").matches(":focus"));
  fetch(location.pathname + "/told?" + told);
}, ${LATE_MS});
</script>`;

it("a page has the focus from its first script on, as in a browser's window, also where others wait below it", async () => {
  const rig = await openRig({ width: 640, height: 360 });
  onTestFinished(() => rig.close());
  const site = await serve((_, response) => answer(200, { "content-type": "text/html" }, PAGE)(response));
  const news = NAMES.map((name) => ({ ...plannedItem(HOSTILE, TURN_MS), id: name, url: `${site.url}/${name}` }));
  await rig.emulator.next(news.map((item) => ({ news: item, ad: null })));
  rig.play(["--config", rig.configure()]);
  const last = () => told().find((target) => target.startsWith(`/${NAMES.at(-1)}/`));
  const told = () => site.targets.filter((target) => target.includes("/told?"));
  await eventually("the last page's word", last, 60_000);
  expect(new Set(told())).toEqual(new Set(NAMES.map((name) => `/${name}/told?true,true,true`)));
}, 90_000);
