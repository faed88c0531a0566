import type { BaseWindow } from "electron";
export async function openHealth(_p: object): Promise<() => Promise<void>> {
  return async () => {};
}
export type W = BaseWindow;
