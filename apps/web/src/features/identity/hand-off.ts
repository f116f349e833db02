import { ApiError } from '@souk/contract/client.ts';
import type { UserProfile } from '@souk/contract/identity.ts';
import { z } from 'zod';
import { chooseReturnPath } from './return-path.ts';
import { clearSignInState, returnPathKey, signOutKey, startedKey, type KeyValueStore } from './session-storage.ts';
import type { SignedInUser } from './signed-in-user.ts';
import { userOf } from './sign-in.ts';
import type { TokenEndpoint } from './token-endpoint.ts';

/** The broker gives a sign-in at the provider this long, so a start that is older has nothing to do with an answer. */
const startIsGoodForMs = 600_000;

/** What /auth/success is called with: a hand-off ticket, and a user as JSON that is a hint and no more. */
export type HandOffAddress = { token: string | null; user: string | null };

/** Nobody here asked for this sign-in: the person has to say that it is theirs. */
export type HandOffQuestion = {
  email: string;
  /** Who is signed in now, and would be replaced. */
  currentEmail: string | undefined;
  /** @returns the path to go to; may leave the page instead */
  accept: () => Promise<string>;
  /** Ends the offered sign-in. */
  decline: () => Promise<void>;
};

export type HandOffOptions = {
  origin: string;
  local: KeyValueStore;
  temporary: KeyValueStore;
  now: () => number;
  withLock: <T>(work: () => Promise<T>) => Promise<T>;
  endpoint: TokenEndpoint;
  /** Who is signed in, once that is known. */
  findCurrent: () => Promise<SignedInUser | undefined>;
  onSignedIn: (user: SignedInUser) => void;
  signOut: () => Promise<void>;
  startSignIn: (path: string) => Promise<never>;
};

/**
 * The end of a sign-in that comes back with a ticket in its address (spec part 2, section 2; clarifications, Sign-in).
 * Somebody may have been sent here with another person's ticket. So where this tab started no sign-in:
 * - with nobody signed in, the swap's cookie is under the mark of an unfinished sign-out, until the person says yes: whatever
 *   else happens, the next start of the app ends that sign-in instead of restoring it
 * - with somebody signed in, the swap plants no cookie at all, and yes means a sign-in from the beginning
 */
export function createHandOff(options: HandOffOptions) {
  const { origin, local, temporary, now, withLock, endpoint } = options;
  const openings = new Map<string, Promise<string | HandOffQuestion>>();

  return {
    /**
     * Swaps the ticket. Called twice with one ticket (React does so while developing), it works once.
     * @returns the path to go to, or the question to ask first
     * @throws ApiError 'Missing authentication parameters', and the texts of a failed exchange or profile
     */
    open(address: HandOffAddress): Promise<string | HandOffQuestion> {
      const key = address.token ?? '';
      const opening = openings.get(key) ?? openOnce(address);
      openings.set(key, opening);
      return opening;
    },
  };

  async function openOnce({ token, user: hint }: HandOffAddress): Promise<string | HandOffQuestion> {
    if (!token || !hint) throw refusal('Missing authentication parameters');
    const path = chooseReturnPath(temporary.getItem(returnPathKey), origin);
    const wasStarted = now() - Number(temporary.getItem(startedKey) ?? 0) < startIsGoodForMs;
    clearSignInState(temporary);

    const current = wasStarted ? undefined : await options.findCurrent();
    const offer = await swap(token, { plantsCookie: current === undefined, isMarked: !wasStarted && !current });
    const { profile } = offer;
    if (!isHintOf(hint, profile)) {
      await offer.withdraw();
      throw refusal('The account of this address is not the one that signed in.');
    }
    const user = userOf(profile, offer.tokens);
    if (wasStarted) {
      options.onSignedIn(user);
      return path;
    }
    if (current?.id === profile.id) return path;
    return {
      email: profile.email,
      currentEmail: current?.email,
      decline: offer.withdraw,
      accept: async () => {
        if (current) return options.startSignIn(path);
        options.onSignedIn(user);
        return path;
      },
    };
  }

  async function swap(ticket: string, { plantsCookie, isMarked }: { plantsCookie: boolean; isMarked: boolean }) {
    const withdraw = async () => {
      if (plantsCookie) await options.signOut();
    };
    return withLock(async () => {
      if (isMarked) local.setItem(signOutKey, '1');
      const tokens = await endpoint.exchangeTicket(ticket, plantsCookie).catch((error: unknown) => {
        // a refusal planted nothing; after silence the mark stays, in case that the answer was lost on its way
        if (isMarked && error instanceof ApiError && error.status !== undefined) local.removeItem(signOutKey);
        throw error;
      });
      const answer = await endpoint.fetchProfile(tokens.accessToken);
      return { tokens, answer };
    }).then(async ({ tokens, answer }) => {
      if ('profile' in answer) return { tokens, profile: answer.profile, withdraw };
      await withdraw();
      throw refusal(`Failed to get user info: ${answer.refused}`);
    });
  }
}

const hintSchema = z.object({ id: z.string().optional(), email: z.string().optional() });

/** Whether the hint speaks of this very person: what it names must fit, and it must name something. */
function isHintOf(hint: string, profile: UserProfile): boolean {
  let parsed;
  try {
    parsed = hintSchema.safeParse(JSON.parse(hint)).data;
  } catch {
    return false;
  }
  if (parsed?.id === undefined && parsed?.email === undefined) return false;
  const idFits = parsed.id === undefined || parsed.id === profile.id;
  const emailFits = parsed.email === undefined || parsed.email.toLowerCase() === profile.email.toLowerCase();
  return idFits && emailFits;
}

function refusal(message: string): ApiError {
  return new ApiError({ message, code: 'sign_in_failed' });
}
