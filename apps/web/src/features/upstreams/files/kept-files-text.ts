import type { KeptFiles } from '@souk/contract/upstreams.ts';
import { keptSize } from '#web/texts/kept-size.ts';

export function keptText({ totalBytes, allowedBytes }: KeptFiles): string {
  return `Services keep files for you here: ${keptSize(totalBytes)} of the ${keptSize(allowedBytes)} that you may have.`;
}
