import { createHmac, timingSafeEqual } from 'node:crypto';
import { isPersonNotice, type PersonNotice } from '@souk/contract/notices.ts';

export const unsubscribePath = '/unsubscribe';

export type Unsubscription = { userId: string; kind: PersonNotice };

/**
 * Links that work without sign-in, since the mail program follows them by itself (RFC 8058). They do not expire, because users
 * keep mails: they only switch one kind off, reveal nothing, and cannot be guessed.
 */
export type UnsubscribeLinks = {
  linkFor(one: Unsubscription): string;
  /** Returns undefined for a token that we did not sign. */
  read(token: string): Unsubscription | undefined;
};

const longestToken = 200;

export function createUnsubscribeLinks(publicUrl: string, key: Uint8Array): UnsubscribeLinks {
  const sign = (subject: string) => createHmac('sha256', key).update(subject).digest('base64url');
  return {
    linkFor({ userId, kind }) {
      const subject = `${userId}.${kind}`;
      return `${publicUrl}${unsubscribePath}?token=${subject}.${sign(subject)}`;
    },
    read(token) {
      if (token.length > longestToken) return undefined;
      const [userId = '', kind = '', given = '', ...more] = token.split('.');
      if (more.length > 0 || !isPersonNotice(kind)) return undefined;
      const [wanted, signature] = [Buffer.from(sign(`${userId}.${kind}`)), Buffer.from(given)];
      if (wanted.length !== signature.length || !timingSafeEqual(wanted, signature)) return undefined;
      return { userId, kind };
    },
  };
}
