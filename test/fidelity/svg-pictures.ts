const SVG = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

/** SVG as pictures: nothing in them may run, and nothing from elsewhere may load (F24). */
export const SVG_PICTURES = {
  plain: `<svg ${SVG} viewBox="0 0 320 180"><rect width="320" height="180" fill="#f4e3c1"/>
<path d="M0 120 Q80 60 160 120 T320 110 V180 H0Z" fill="#2d6a8e"/><circle cx="250" cy="50" r="28" fill="#e8654f"/>
<text x="20" y="60" font-size="30" font-family="sans-serif" fill="#173049">Regatta, 14 June</text></svg>`,
  sized: `<svg ${SVG} width="400" height="400"><rect width="400" height="400" fill="#3b2a5c"/>
<g fill="#f2b84b"><rect x="60" y="200" width="60" height="140"/><rect x="170" y="120" width="60" height="220"/>
<rect x="280" y="60" width="60" height="280"/></g></svg>`,
  /** Where any of what it tries works, a large red sheet or a picture covers it. */
  withScript: `<svg ${SVG} viewBox="0 0 320 180"><rect width="320" height="180" fill="#1f7a5a"/>
<text x="20" y="100" font-size="40" font-family="sans-serif" fill="#fff">Fresh bread daily</text>
<rect id="sheet" width="320" height="180" fill="#d00" visibility="hidden"/>
<image width="320" height="120" xlink:href="png-colours.png"/><image width="320" height="120" href="/made/jpeg-grey.jpg"/>
<script>document.getElementById("sheet").setAttribute("visibility", "visible");</script></svg>`,
  animated: `<svg ${SVG} viewBox="0 0 320 180"><rect width="320" height="180" fill="#101c2e"/>
<rect y="60" width="20" height="60" fill="#5fb8a5"><animate attributeName="width" from="20" to="300" dur="0.8s" fill="freeze"/></rect>
<circle cx="160" cy="30" r="4" fill="#f2b84b"><animate attributeName="r" from="4" to="24" dur="0.8s" fill="freeze"/></circle></svg>`,
} as const;
