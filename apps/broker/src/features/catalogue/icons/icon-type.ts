/** Pictures that a browser shows without running anything: no SVG, which may contain scripts. */
export type IconType = 'image/png' | 'image/jpeg' | 'image/webp';

/** Returns a picture's type by its first bytes, regardless of what its server claims; undefined for anything else. */
export function iconTypeOf(bytes: Uint8Array): IconType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12));
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  const hex = head.toString('hex');
  if (hex.startsWith('89504e470d0a1a0a')) return 'image/png';
  return hex.startsWith('ffd8ff') ? 'image/jpeg' : undefined;
}
