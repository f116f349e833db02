import { randomText, type Randomness } from '../sign-in/pkce.ts';
import { renewalKey, type KeyValueStore } from './session-storage.ts';

/** 132 bits: the name proves that a retry comes from the browser that began the renewal. */
const nameLength = 22;

export type RenewalNameOptions = Pick<Randomness, 'randomBytes'> & { local: KeyValueStore };

/** The name of the running renewal, shared by the tabs: a tab that continues it uses the same name. */
export function createRenewalName({ local, randomBytes }: RenewalNameOptions) {
  return {
    /** Stored before it is sent, so that it outlives the page. */
    current(): string {
      const kept = local.getItem(renewalKey);
      if (kept !== null) return kept;
      const name = randomText(randomBytes(nameLength));
      local.setItem(renewalKey, name);
      return name;
    },

    /** Call it when the broker has answered, so that the next renewal gets another name. */
    end: () => local.removeItem(renewalKey),
  };
}
