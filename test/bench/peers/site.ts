import { createReadStream } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, extname, join } from "node:path";
import type { WholeItem } from "../../../src/emulator/spot/planned.ts";
import type { Page } from "./renderers.ts";

/** Where a renderer finds its page, its layout and its media. */
export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Player</title>
    <link rel="stylesheet" href="/styles.css" />
    <style>
      body { margin: 0; overflow: hidden; background: #000; }
      #stage, .player-preview, .screen-preview { width: 100vw; height: 100vh; }
    </style>
  </head>
  <body>
    <div id="stage"></div>
    <script type="module" src="/scripts/page.js"></script>
  </body>
</html>
`;

/** Serves a renderer's page on loopback, and a layout of these items; their media are those of the emulator at `mediaUrl`. */
export async function serveRenderer(page: Page, items: readonly WholeItem[], mediaUrl: string): Promise<Site> {
  const layout = layoutOf(items);
  const server = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const send = (type: string, body: string) => void response.writeHead(200, { "content-type": type }).end(body);
    const media = (id: string | null) => {
      const item = items[Number.parseInt(id ?? "", 10) - 1];
      if (item === undefined) return void response.writeHead(404).end();
      response.writeHead(302, { location: new URL(item.url, mediaUrl).href }).end();
    };
    if (pathname === "/") send("text/html", HTML);
    else if (pathname === "/layout.xlf") send("text/xml", layout);
    else if (pathname === "/styles.css") file(response, "text/css", page.styles);
    else if (pathname.startsWith("/scripts/"))
      file(response, "text/javascript", join(page.scripts, basename(pathname)));
    else if (pathname.startsWith("/media/")) media(basename(pathname));
    // As Xibo's own player asks its host: for a file by its name, for a page by its number.
    else if (pathname === "/xmds.php") media(searchParams.get("file"));
    else media(searchParams.get("mediaId"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function file(response: ServerResponse, type: string, path: string | null): void {
  response.writeHead(200, { "content-type": type });
  if (path === null) response.end();
  else createReadStream(path).pipe(response);
}

/** Xibo's layout format: one region as large as the display, in which the items follow each other; lengths in whole seconds. */
function layoutOf(items: readonly WholeItem[]): string {
  const media = items.map(({ mimeType, duration, url }, index) => {
    const id = index + 1;
    const form = mimeType.split("/")[0];
    const type = form === "image" || form === "video" ? form : "webpage";
    const attributes = `id="${id}" fileId="${id}" type="${type}" render="${type === "webpage" ? "html" : "native"}"`;
    const options = `<uri>${id}${extname(url)}</uri><modeId>0</modeId><mute>1</mute>`;
    return `<media ${attributes} duration="${duration / 1000}" useDuration="1"><options>${options}</options></media>`;
  });
  const region = `<region id="1" width="1280" height="720" top="0" left="0" zindex="0">${media.join("")}</region>`;
  return `<layout schemaVersion="7" width="1280" height="720" bgcolor="#000000">${region}</layout>`;
}
