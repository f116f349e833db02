import { sizeOfFolders, type FolderSize } from './folder-size.ts';

/** A size is cached 20 times as long as counting took, so that counting takes at most a twentieth of the CPU time. */
const cachedShare = 20;

/** Caches the sizes of owners' folders. @param enough size at which counting stops */
export function createFolderSizes(enough: number) {
  const known = new Map<string, { size: FolderSize; untilMs: number }>();
  return {
    /** Returns the size, with a `busyMs` of 0 if it is cached. */
    async of({ key, folders }: { key: string; folders(): Promise<readonly string[]> }): Promise<FolderSize> {
      const last = known.get(key);
      if (last && performance.now() < last.untilMs) return { ...last.size, busyMs: 0 };
      const size = await sizeOfFolders(await folders(), enough);
      const nowMs = performance.now();
      for (const [each, { untilMs }] of known) if (untilMs < nowMs) known.delete(each);
      known.set(key, { size, untilMs: nowMs + size.busyMs * cachedShare });
      return size;
    },
    /** Discards a size after files were deleted. */
    forget: (key: string) => void known.delete(key),
  };
}
