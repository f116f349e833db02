import { readsLikePlan } from '@souk/contract/manifest/manifest-basics.ts';

const most = 20;
const longest = 120;

/** Returns the fault of the features; undefined if they are valid. */
export function featuresFault(features: readonly string[]): string | undefined {
  if (features.length > most) return `Enter at most ${most} features, one per line.`;
  if (features.some(({ length }) => length > longest)) return `A feature has at most ${longest} characters.`;
  return features.some(readsLikePlan)
    ? 'A feature cannot be “System subscription (…)”, which is reserved for plans.'
    : undefined;
}
