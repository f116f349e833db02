import { createPostAlert } from '#adapters/alerts/post-alert.ts';
import { openMailer } from '#adapters/mail/smtp-mailer.ts';
import type { Identity } from '#features/identity/index.ts';
import { createNotices, type Notices } from '#features/notices/index.ts';
import type { Platform } from './open-platform.ts';

/** Builds e-mail notices, sent by the operator's mail server or shown on the demo's page. */
export async function joinNotices(
  platform: Platform,
  { identity, allowAddresses }: { identity: Identity; allowAddresses: readonly string[] },
): Promise<Notices> {
  const { config, db, keptKey, outbound, clock, log } = platform;
  return createNotices({
    db,
    shop: config,
    delivery: config.mail,
    linkKey: await keptKey('unsubscribe'),
    addressOf: async (userId) => (await identity.findUser(userId))?.email,
    administrators: config.adminEmails,
    postAlert:
      config.alertWebhook && createPostAlert(config.alertWebhook, { allowAddresses, outgoing: outbound.outgoing }),
    openMailer,
    clock,
    log,
  });
}
