import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codecsIn } from "../../../src/player/media/codecs.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

/** A clip of two frames, and a sound where asked for. */
function clip(name: string, ...options: readonly string[]): string {
  const path = join(temporaryFolder(), name);
  const inputs = ["-f", "lavfi", "-i", "testsrc=size=64x64:rate=2:duration=1", "-f", "lavfi", "-i", "sine=duration=1"];
  const { status, stderr } = spawnSync("ffmpeg", ["-v", "error", ...inputs, ...options, path], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return path;
}

// The clips are made by ffmpeg, which is installed on Linux only.
describe.skipIf(process.platform === "win32")("the codecs of a clip", () => {
  it.each([
    ["H.264", "a.mp4", ["-an", "-c:v", "libx264"], ["H.264"]],
    ["H.264 with sound", "a.mp4", ["-c:v", "libx264", "-c:a", "aac"], ["H.264", "AAC"]],
    [
      "H.264 whose index is at the beginning",
      "a.mp4",
      ["-an", "-c:v", "libx264", "-movflags", "+faststart"],
      ["H.264"],
    ],
    ["H.264 in fragments", "a.mp4", ["-an", "-c:v", "libx264", "-movflags", "frag_keyframe+empty_moov"], ["H.264"]],
    ["HEVC", "a.mp4", ["-an", "-c:v", "libx265", "-x265-params", "log-level=error"], ["HEVC"]],
    [
      "HEVC as hvc1",
      "a.mp4",
      ["-an", "-c:v", "libx265", "-x265-params", "log-level=error", "-tag:v", "hvc1"],
      ["HEVC"],
    ],
    ["MPEG-4 Visual", "a.mp4", ["-an", "-c:v", "mpeg4"], ["MPEG-4 Visual"]],
    ["VP8", "a.webm", ["-an", "-c:v", "libvpx"], ["VP8"]],
    ["VP9 with sound", "a.webm", ["-c:v", "libvpx-vp9", "-c:a", "libopus"], ["VP9", "Opus"]],
    ["a live recording of VP8", "a.webm", ["-an", "-c:v", "libvpx", "-live", "1"], ["VP8"]],
    ["HEVC in Matroska", "a.mkv", ["-an", "-c:v", "libx265", "-x265-params", "log-level=error"], ["HEVC"]],
  ])("are named: %s", async (_, name, options, codecs) => {
    expect(await codecsIn(clip(name, ...options))).toEqual(codecs);
  });

  it("are none of what is no clip, is empty, or is cut off anywhere", async () => {
    const path = clip("a.mp4", "-an", "-c:v", "libx264", "-movflags", "+faststart");
    const whole = readFileSync(path);
    const found = new Set<string>();
    for (let length = 0; length < whole.length; length += 7) {
      writeFileSync(path, whole.subarray(0, length));
      for (const codec of await codecsIn(path)) found.add(codec);
    }
    expect([...found]).toEqual(["H.264"]);
    writeFileSync(path, "<html>");
    expect(await codecsIn(path)).toEqual([]);
  });

  it("do not take for ever in a file made of empty boxes, or of boxes without a size", async () => {
    const path = join(temporaryFolder(), "a.mp4");
    const box = Buffer.from("\0\0\0\x08free", "latin1");
    writeFileSync(path, Buffer.concat(Array.from({ length: 100_000 }, () => box)));
    expect(await codecsIn(path)).toEqual([]);
    writeFileSync(path, Buffer.alloc(1_000_000));
    expect(await codecsIn(path)).toEqual([]);
  });
});
