import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Film, PICTURE_BYTES } from "../display/pictures.ts";
import { EYE_GRID, GRID } from "../display/recording.ts";
import type { Catalogue, Creative } from "./catalogue.ts";

/** A page that does what no creative may, and carries a code by which it is known on a display. */
export interface HostilePage {
  readonly name: string;
  /** Run while the page is parsed. */
  readonly loading?: string;
  /** Run a moment after the page came on air. */
  readonly onAir?: string;
  /** Run when the page is told that it is on air, before its first frame there. */
  readonly hook?: string;
  readonly head?: string;
}

/** A site of hostile pages on loopback, which a player whose service is on loopback too may load from. */
export interface HostileSite {
  url(page: string): string;
  /** What pages told of themselves by asking for `/report?what=…&how=…`. */
  readonly reports: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** How all of them are seen; no creative of the catalogue has a like one. */
export const HOSTILE: Creative = {
  name: "(hostile)",
  file: "",
  mimeType: "text/html",
  width: 1280,
  height: 720,
  framesPerSecond: null,
  code: ["cyan", "blue", "yellow", "magenta"],
  strip: { column: 0, row: 7 },
};

const BACKGROUND = "#5a6b3c";

/** What all of them look like: the code on their background. */
export function hostileFilm({ palette }: Catalogue): Film {
  const picture = Buffer.alloc(PICTURE_BYTES, Buffer.from(BACKGROUND.slice(1), "hex"));
  const across = EYE_GRID.columns / GRID.columns;
  const firstRow = (HOSTILE.strip.row * EYE_GRID.rows) / GRID.rows;
  for (const [index, name] of HOSTILE.code.entries()) {
    const cell = Buffer.alloc(across * 3, Buffer.from((palette[name] ?? "").slice(1), "hex"));
    for (let row = firstRow; row < EYE_GRID.rows; row++) {
      cell.copy(picture, (row * EYE_GRID.columns + (HOSTILE.strip.column + index) * across) * 3);
    }
  }
  return { name: HOSTILE.name, pictures: [picture], moves: false, masked: new Set() };
}

/** Well after the first frame, so that what goes wrong then goes wrong in sight. */
const ON_AIR_AFTER_MS = 500;

/** Serves pages as `/<name>.html`. */
export async function openHostileSite(
  pages: readonly HostilePage[],
  catalogue: Catalogue,
  host = "127.0.0.1",
): Promise<HostileSite> {
  const reports = new Map<string, string>();
  const bodies = new Map(pages.map((page) => [`/${page.name}.html`, bodyOf(page, catalogue)]));
  const held = new Set<ServerResponse>();
  const server = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://site");
    // Asked for and never answered.
    if (pathname === "/never") return void held.add(response);
    if (pathname === "/redirect") {
      return void response.writeHead(302, { location: searchParams.get("to") ?? "/" }).end();
    }
    if (pathname === "/report") reports.set(searchParams.get("what") ?? "", searchParams.get("how") ?? "");
    const body = bodies.get(pathname);
    response.writeHead(pathname === "/report" || body !== undefined ? 200 : 404, { "content-type": typeOf(pathname) });
    response.end(body ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  return { url: (page) => `${origin}/${page}.html`, reports, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

function typeOf(pathname: string): string {
  return pathname.endsWith(".html") ? "text/html; charset=utf-8" : "image/png";
}

/** What every page has to hand: `report` tells the site of something, once. */
const TOOLS = `
  const report = (what, how) => { new Image().src = "/report?what=" + encodeURIComponent(what) + "&how=" + encodeURIComponent(how); };
`;

function bodyOf({ head = "", loading = "", onAir = "", hook = "" }: HostilePage, { palette }: Catalogue): string {
  const cells = HOSTILE.code.map((colour) => `<i style="background:${palette[colour]}"></i>`).join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>hostile</title>
${head}
<style>
html, body { margin: 0; height: 100%; overflow: hidden; background: ${BACKGROUND}; }
div { position: fixed; left: 0; top: calc(700vh / 9); display: flex; }
i { width: calc(100vw / 16); height: calc(200vh / 9); }
</style>
<script>
${TOOLS}
window.BroadSignPlay = () => {
  setTimeout(async () => { ${onAir} }, ${ON_AIR_AFTER_MS});
  ${hook}
};
</script>
</head>
<body>
<div>${cells}</div>
<script>${loading}</script>
</body>
</html>
`;
}
