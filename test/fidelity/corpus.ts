import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MEDIA } from "./media.ts";
import type { Sample } from "./sample.ts";
import type { Site } from "./site.ts";

const PAGES = join(import.meta.dirname, "pages");

/** The size that most pages are made for, and that pictures and clips are compared at. */
const USUAL = { width: 1280, height: 720 } as const;

/** Pages that are made for another size. */
const SIZES: Readonly<Record<string, { readonly width: number; readonly height: number }>> = {
  "made-for-300x250": { width: 300, height: 250 },
  "made-for-728x90": { width: 728, height: 90 },
  "made-for-1920x1080": { width: 1920, height: 1080 },
  "made-for-3840x2160": { width: 3840, height: 2160 },
  "made-for-1080x1920": { width: 1080, height: 1920 },
  "made-for-320x480": { width: 320, height: 480 },
  "opener-policy": { width: 1920, height: 1080 },
  isolated: { width: 1920, height: 1080 },
  "leads-on-when-loaded": { width: 1920, height: 1080 },
  helmet: { width: 1080, height: 1920 },
};

/** Pages whose items name another address than the page's own. */
const ADDRESSES: Readonly<Record<string, string>> = {
  "redirected-document": "/redirect?to=%2Fredirect%3Fto%3D%2Fpages%2Fredirected-document.html",
  "cookie-of-redirect": "/redirect?cookie=ticket%3Dharbour&to=%2Fpages%2Fcookie-of-redirect.html",
  "address-with-query-and-fragment": "/pages/address-with-query-and-fragment.html?id=7&sig=a%2Fb%3D#third",
  "asked-as-browser":
    "/pages/asked-as-browser/?needs=user-agent~Chrome/&needs=accept~text/html&needs=accept-language~en",
};

/** What the short form shows: one of each kind that was ever shown wrong, and of each way of drawing. */
const SHORT: ReadonlySet<string> = new Set([
  "background-on-body",
  "quirks-mode",
  "overflowing",
  "made-for-1920x1080",
  "made-for-300x250",
  "helmet",
  "web-font",
  "canvas-2d",
  "gsap",
  "asked-as-browser",
  "asked-with-key",
  "cookie-of-redirect",
  "viewers-languages",
  "csp-by-header",
  "frame-of-another-origin",
  "visible-at-last",
  "jpeg-exif-6",
  "gif-animated",
  "gif-called-png",
  "clip-h264-main",
]);

/** Every page, picture and clip of the comparison, pages first. Those made by `makeMedia` have to be made before. */
export function corpus(site: Pick<Site, "here">): readonly Sample[] {
  return [...pages(site), ...media(site)];
}

function pages({ here }: Pick<Site, "here">): readonly Sample[] {
  const entries = readdirSync(PAGES).sort();
  return entries.flatMap((entry) => {
    const folder = existsSync(join(PAGES, entry, "index.html"));
    if (!folder && !entry.endsWith(".html")) return [];
    const name = folder ? entry : entry.replace(/\.html$/, "");
    const url = `${here}${ADDRESSES[name] ?? `/pages/${folder ? `${entry}/` : entry}`}`;
    const size = SIZES[name] ?? USUAL;
    const does = titleOf(join(PAGES, entry, folder ? "index.html" : ""));
    const isInShort = SHORT.has(name);
    return [{ name, does, mimeType: "text/html", ...size, url, bare: { url, ...size }, isInShort, fails: null }];
  });
}

/** A page's title is what it does, where it has one. */
function titleOf(path: string): string {
  return /<title>(.*?)<\/title>/s.exec(readFileSync(path, "utf8"))?.[1]?.trim() ?? "";
}

function media({ here }: Pick<Site, "here">): readonly Sample[] {
  return MEDIA.map(({ name, file, does, mimeType, fails }) => {
    const url = `${here}/made/${file}`;
    const framed = `${here}/framed?type=${encodeURIComponent(mimeType)}&src=${encodeURIComponent(url)}`;
    const bare = { url: framed, ...USUAL };
    return { name, does, mimeType, ...USUAL, url, bare, isInShort: SHORT.has(name), fails: fails ?? null };
  });
}
