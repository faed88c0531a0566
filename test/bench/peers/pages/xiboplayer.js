// Plays /layout.xlf with @xiboplayer/renderer, whose host says where media and pages are.
import { RendererLite } from "@xiboplayer/renderer";

const stage = document.querySelector("#stage");
const renderer = new RendererLite({ cmsUrl: location.origin, hardwareKey: "bench" }, stage, {
  logLevel: "WARNING",
  getMediaUrl: async (id) => `${location.origin}/media/${id}`,
  getWidgetHtml: async ({ id }) => ({ url: `${location.origin}/media/${id}` }),
});
const xlf = await (await fetch("/layout.xlf")).text();
renderer.on("layoutEnd", () => void renderer.renderLayout(xlf, 1));
await renderer.renderLayout(xlf, 1);
