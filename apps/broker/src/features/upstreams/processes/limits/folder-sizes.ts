import { sizeOfFolders, type FolderSize } from './folder-size.ts';

/** Counting the same folders takes at most a twentieth of the processor's time. */
const believedShare = 20;

/** Sizes of the folders of owners, counted again when the last count is too old for what it cost. */
export type FolderSizes = {
  /** `busyMs` is 0 where the last count is believed. */
  of(owner: { key: string; folders(): Promise<readonly string[]> }): Promise<FolderSize>;
  /** Files were deleted. */
  forget(key: string): void;
};

/** @param enough where to stop counting */
export function createFolderSizes(enough: number): FolderSizes {
  const known = new Map<string, { size: FolderSize; untilMs: number }>();
  return {
    async of({ key, folders }) {
      const last = known.get(key);
      if (last && performance.now() < last.untilMs) return { ...last.size, busyMs: 0 };
      const size = await sizeOfFolders(await folders(), enough);
      const nowMs = performance.now();
      for (const [each, { untilMs }] of known) if (untilMs < nowMs) known.delete(each);
      known.set(key, { size, untilMs: nowMs + size.busyMs * believedShare });
      return size;
    },
    forget: (key) => void known.delete(key),
  };
}
