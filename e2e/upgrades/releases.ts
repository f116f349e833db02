/** A version that people run: where its sources are, and beside this file a shop of it on each database. The newest is the last. */
export type Release = { version: string; commit: string };

export const releases: readonly [Release, ...Release[]] = [
  { version: '1.0.0', commit: '7dd3ab2d6f298c877a6e241f5d34b8ca8e6c3624' },
];
