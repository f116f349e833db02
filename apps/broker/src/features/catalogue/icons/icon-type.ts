/** Pictures that a browser shows without running anything: no SVG, which may carry scripts. */
const types = [
  { contentType: 'image/png', extension: 'png', starts: '89504e470d0a1a0a' },
  { contentType: 'image/jpeg', extension: 'jpg', starts: 'ffd8ff' },
] as const;

export type IconType = { contentType: 'image/png' | 'image/jpeg' | 'image/webp'; extension: string };

/** What a picture is, by its first bytes and not by what its server says; undefined for anything else. */
export function iconTypeOf(bytes: Uint8Array): IconType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12));
  const isWebp = head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP';
  if (isWebp) return { contentType: 'image/webp', extension: 'webp' };
  return types.find(({ starts }) => head.toString('hex').startsWith(starts));
}
