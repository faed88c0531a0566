/** As a widespread library for servers has them. */
const USUAL_PROTECTION = {
  "content-security-policy":
    "default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';img-src 'self' data:;object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "x-download-options": "noopen",
  "x-frame-options": "SAMEORIGIN",
  "x-permitted-cross-domain-policies": "none",
  "x-xss-protection": "0",
};

/** A page with these is kept in a process of its own. */
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** What the server of some pages sends besides the page; the others get nothing but their content type. */
const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/pages/charset-by-header.html": { "content-type": "text/html; charset=windows-1252" },
  "/pages/charset-header-over-meta.html": { "content-type": "text/html; charset=utf-8" },
  "/pages/csp-by-header.html": { "content-security-policy": "script-src 'none'; img-src 'none'" },
  "/pages/csp-style-by-header.html": { "content-security-policy": "default-src 'self'; style-src 'self'" },
  "/pages/csp-report-only.html": { "content-security-policy-report-only": "default-src 'none'; report-uri /report" },
  "/pages/frame-refused/inside.html": { "x-frame-options": "DENY" },
  "/pages/frame-ancestors/inside.html": { "content-security-policy": "frame-ancestors 'none'" },
  "/pages/own-frame-refusal.html": { "x-frame-options": "DENY" },
  "/pages/link-header/": { link: "</pages/link-header/colours.css>; rel=preload; as=style" },
  "/pages/strict-types/": { "x-content-type-options": "nosniff" },
  "/pages/strict-types/named-wrong.js": { "content-type": "text/plain", "x-content-type-options": "nosniff" },
  "/pages/permissions-policy.html": { "permissions-policy": "autoplay=(), sync-xhr=()" },
  "/pages/helmet/": USUAL_PROTECTION,
  "/pages/helmet/page.css": USUAL_PROTECTION,
  "/pages/helmet/page.js": USUAL_PROTECTION,
  "/pages/opener-policy.html": { "cross-origin-opener-policy": "same-origin" },
  "/pages/isolated.html": ISOLATED,
  "/pages/leads-on-when-loaded/apart.html": ISOLATED,
  "/pages/asked-from-page/": { "set-cookie": "visit=first; Path=/" },
  "/pages/cookies.html": { "set-cookie": "shop=harbour; Path=/pages" },
  "/pages/told-by-headers.html": { "last-modified": "Sat, 03 Feb 2018 04:05:06 GMT", "x-offers": "two for one" },
  "/pages/xhtml.html": { "content-type": "application/xhtml+xml" },
};

export function headersOf(pathname: string): Readonly<Record<string, string>> {
  return HEADERS[pathname] ?? {};
}

/** All are written in UTF-8 here, and sent in the charset that they are about. */
const CHARSETS: Readonly<Record<string, BufferEncoding>> = {
  "/pages/charset-by-header.html": "latin1",
  "/pages/charset-by-meta.html": "latin1",
  "/pages/charset-guessed.html": "latin1",
  "/pages/charset-utf-16.html": "utf16le",
};

export function charsetOf(pathname: string): BufferEncoding {
  return CHARSETS[pathname] ?? "utf8";
}

const TRANSFERS: Readonly<Record<string, "gzip" | "br">> = {
  "/pages/sent-as-gzip/": "gzip",
  "/pages/sent-as-gzip/page.css": "gzip",
  "/pages/sent-as-brotli/": "br",
  "/pages/sent-as-brotli/page.js": "br",
};

/** How a page's bytes are packed on their way. */
export function transferOf(pathname: string): "gzip" | "br" | null {
  return TRANSFERS[pathname] ?? null;
}
