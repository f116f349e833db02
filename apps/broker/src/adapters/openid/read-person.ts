import { foldEmail } from '@souk/contract/fold-email.ts';
import { cleanLabel, hasHiddenCharacters } from '#platform/text/clean-label.ts';

/** The user who signed in, in texts that can be stored, compared and shown. */
export type Person = {
  subject: string;
  email: string;
  /** Undefined if the provider does not say. */
  emailVerified: boolean | undefined;
  displayName: string;
  photoUrl: string | undefined;
};

/** OpenID Connect Core, section 2. */
const longestSubject = 255;
/** RFC 5321, section 4.5.3.1: a local part, an @ and a domain. */
const longestEmail = 64 + 1 + 255;
const longestName = 100;
const longestPhotoUrl = 2048;

/**
 * Reads a provider's claims about a user. The subject and the address identify the user, so they are taken unchanged or
 * refused: once cleaned, they might be another user's. Texts that are only shown are cleaned and cut.
 * @throws Error when the subject or the address is missing, too long, or contains hidden characters
 */
export function readPerson(subject: string, claims: Readonly<Record<string, unknown>>): Person {
  if (!isPlain(subject, longestSubject)) throw new Error('the provider sent an invalid subject');
  const { email, email_verified: verified, name, picture } = claims;
  if (typeof email !== 'string') throw new Error('the provider sent no e-mail address');
  const at = email.lastIndexOf('@');
  if (!isPlain(email, longestEmail) || /\s/.test(email) || at < 1 || at === email.length - 1) {
    throw new Error('the provider sent an invalid e-mail address');
  }
  return {
    subject,
    email: foldEmail(email),
    // Cognito and others send it as text
    emailVerified: verified === undefined ? undefined : verified === true || verified === 'true',
    displayName: (typeof name === 'string' && cleanLabel(name, longestName)) || email.slice(0, at),
    photoUrl: typeof picture === 'string' ? readPhotoUrl(picture) : undefined,
  };
}

function isPlain(text: string, maxLength: number): boolean {
  return text !== '' && text.length <= maxLength && !hasHiddenCharacters(text);
}

function readPhotoUrl(text: string): string | undefined {
  const url = text.length <= longestPhotoUrl ? URL.parse(text) : null;
  return url?.protocol === 'https:' ? url.href : undefined;
}
