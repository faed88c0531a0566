// Plays /layout.xlf with @xibosignage/xibo-layout-renderer, as its host on a player does: it asks by its own addresses.
import XiboLayoutRenderer from "@xibosignage/xibo-layout-renderer";

const renderer = XiboLayoutRenderer([{ layoutId: 1, path: "/layout.xlf" }], {
  xlfUrl: "/layout.xlf",
  getResourceUrl: "/media/:id",
  layoutBackgroundDownloadUrl: "",
  layoutPreviewUrl: "",
  libraryDownloadUrl: "",
  loaderUrl: "",
  idCounter: 0,
  inPreview: false,
  appHost: location.origin,
  platform: "chromeOS",
  config: { cmsUrl: location.origin, schemaVersion: 7, cmsKey: "bench", hardwareKey: "bench" },
});
renderer.playSchedules(await renderer.init());
