import { createHmac } from 'node:crypto';
import { request } from 'undici';
import type { AlertWebhook } from '#platform/config/mail.ts';
import { RefusedAddressError } from '#platform/http/outgoing/address-guard.ts';
import type { AllowEntry } from '#platform/http/outgoing/limited-entry.ts';
import { createGuardedDispatcher } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import { readBounded } from '#platform/http/outgoing/read-bounded.ts';
import { DeliveryError } from '#platform/notices/delivery-error.ts';

export type AlertMessage = {
  /** The same on every attempt to send the alert. */
  id: string;
  shop: string;
  cause: string;
  text: string;
  url: string;
  at: Date;
};

/** @throws DeliveryError */
export type PostAlert = (message: AlertMessage) => Promise<void>;

const timeoutMs = 10_000;
const maxAnswerBytes = 16 * 1024;

/**
 * Posts alerts to the operator's webhook, by the rules for outside addresses: https to public addresses, http and private
 * addresses if the operator allows them, and no redirects. Chats such as Slack show `text`; other receivers read the rest.
 */
export function createPostAlert(
  { url, secret }: AlertWebhook,
  { allowAddresses, outgoing }: { allowAddresses: readonly AllowEntry[]; outgoing: Outgoing },
): PostAlert {
  return async ({ id, shop, cause, text, url: page, at }) => {
    const alert = { text: `${inChat(text)} ${page}`, id, shop, cause, url: page, at: at.toISOString() };
    // for plain messages, Slack documents only the member `text`
    const body = JSON.stringify(new URL(url).hostname === 'hooks.slack.com' ? { text: alert.text } : alert);
    const dispatcher = createGuardedDispatcher({
      allowAddresses,
      publicNeedsTls: true,
      connectTimeoutMs: timeoutMs,
      connections: 1,
      outgoing,
    });
    try {
      const answer = await request(url, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(secret !== undefined && signature(secret, body)) },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      answer.body.on('error', () => {});
      const { statusCode: status } = answer;
      await readBounded(answer.body, maxAnswerBytes, () => new Error('too large'));
      if (status < 200 || status > 299) throw deliveryError(`the alert webhook answered ${status}`);
    } catch (error) {
      if (error instanceof DeliveryError) throw error;
      // the webhook's address may be secret, and other errors may contain it
      throw deliveryError(
        error instanceof RefusedAddressError
          ? 'the address of the alert webhook is not allowed: see UPSTREAM_ALLOW_ADDRESSES'
          : 'the alert webhook does not answer',
      );
    } finally {
      await dispatcher.destroy();
    }
  };
}

const deliveryError = (message: string) => new DeliveryError(message, { isPermanent: false, isOutage: false });

/** Signs like Stripe's webhooks: the signed text includes the time, so that an old request cannot be replayed. */
function signature(secret: string, body: string): Record<string, string> {
  const at = Math.floor(Date.now() / 1000);
  const signed = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return { 'souk-signature': `t=${at},v1=${signed}` };
}

/** Escapes names from outside: Slack takes <!channel> for a call to everyone. */
const inChat = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
