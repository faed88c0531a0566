// Run by the bench as a process of its own: `large.ts FOLDER URL WARM-UP` brings the URL into a cache, and says by how many bytes
// its resident memory grew meanwhile.
import { keep, openCache } from "./cache.ts";

const [folder = "", url = "", warmUp = ""] = process.argv.slice(2);
const cache = await openCache(folder);
// What any download loads and allocates is there before.
await keep(cache, warmUp);
globalThis.gc?.();
const before = process.memoryUsage.rss();
let most = before;
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss());
}, 20);
await keep(cache, url);
clearInterval(watch);
process.stdout.write(`${most - before}\n`);
