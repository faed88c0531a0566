import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new empty folder, removed when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "spotloop-test-"));
  onTestFinished(() => remove(folder));
  return folder;
}

/** Whether nobody but its owner may read and change a file; Windows keeps that elsewhere, where nothing is to be seen of it. */
export function isPrivate(path: string): boolean {
  return process.platform === "win32" || (statSync(path).mode & 0o777) === 0o600;
}

/** A crash is a database that was never closed, and Windows removes no file that is open: there such a folder stays. */
function remove(folder: string): void {
  const isWindows = process.platform === "win32";
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: isWindows ? 0 : 10 });
  } catch (error) {
    if (!isWindows) throw error;
  }
}
