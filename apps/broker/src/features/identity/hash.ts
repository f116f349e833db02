import { createHash } from 'node:crypto';

/** SHA-256 in base64url, by which bearer values are stored and looked up. For random values only, not for passwords. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
