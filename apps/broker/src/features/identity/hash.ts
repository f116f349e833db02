import { createHash } from 'node:crypto';

/** SHA-256 in base64url: how a bearer value is stored and looked up. Fit for values of full randomness, not for passwords. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
