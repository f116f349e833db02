import type { FastifyInstance } from 'fastify';
import type { PostAlert } from '#adapters/alerts/post-alert.ts';
import type { Mailer } from '#adapters/mail/smtp-mailer.ts';
import type { Clock } from '#platform/clock.ts';
import type { MailDelivery, SmtpServer } from '#platform/config/mail.ts';
import type { Database } from '#platform/db/database.ts';
import type { Router } from '#platform/http/router.ts';
import type { Alert } from '#platform/notices/alert.ts';
import type { Log } from '#platform/log.ts';
import { inDemo, mountDemoMails } from './demo/mail-page.ts';
import { mailOfAlert, messageOfAlert } from './alerts/deliver-alert.ts';
import { recordAlerts } from './alerts/record-alerts.ts';
import { mailOfNotice } from './mail/mail-of-notice.ts';
import type { Shop } from './mail/write-mail.ts';
import { readNoticeFigures, removeEnded, type NoticeFigures, type ClaimedNotice } from './notice-store.ts';
import { mountNoticeRoutes } from './routes.ts';
import { sendDue } from './send-due.ts';
import { createUnsubscribeLinks } from './unsubscribe/unsubscribe-links.ts';
import { mountUnsubscribe } from './unsubscribe/unsubscribe-route.ts';

const dayMs = 24 * 60 * 60_000;
const keptMs = 90 * dayMs;
const countedMs = 7 * dayMs;

/** E-mails to users and alerts to the operator. */
export type Notices = {
  /** Sends due notices, as a job of one broker. Returns the number of processed notices. */
  sendDue(): Promise<number>;
  /** Queues alerts for causes that the operator has not been notified of. Returns their number. */
  recordAlerts(found: readonly Alert[]): Promise<number>;
  removeOld(): Promise<void>;
  /** Counts notices that wait, that failed and wait, and that were given up in the last seven days. */
  figures(): Promise<NoticeFigures>;
  readonly delivery: MailDelivery['kind'];
  /** Mounts the choice of e-mails and the page to unsubscribe; in the demo also the page that shows the mails. */
  mountRoutes(server: FastifyInstance, router: Router): void;
};

type NoticeParts = {
  db: Pick<Database, 'query' | 'transaction'>;
  shop: Shop;
  delivery: MailDelivery;
  /** Signs the links to unsubscribe. */
  linkKey: Uint8Array;
  /** E-mail addresses for alerts if there is no webhook. */
  administrators: readonly string[];
  postAlert: PostAlert | undefined;
  addressOf(userId: string): Promise<string | undefined>;
  openMailer(server: SmtpServer, from: { name: string; address: string }): Mailer;
  clock: Clock;
  log: Log;
};

export function createNotices(noticeParts: NoticeParts): Notices {
  const { db, shop, delivery, clock } = noticeParts;
  const { query } = db;
  const parts = { ...noticeParts, query };
  const links = createUnsubscribeLinks(shop.publicUrl, parts.linkKey);
  const { postAlert, administrators } = parts;
  const mailOf = async (notice: ClaimedNotice) => {
    if (notice.kind !== 'alert') return mailOfNotice({ ...parts, links }, notice);
    return administrators.length > 0 ? mailOfAlert(shop, notice, administrators) : 'no_recipient';
  };
  const since = (ms: number) => new Date(clock.now() - ms);

  return {
    delivery: delivery.kind,
    mountRoutes(server, router) {
      mountNoticeRoutes(router, parts);
      mountUnsubscribe(server, { ...parts, links });
      if (delivery.kind === 'demo') mountDemoMails(server, { ...parts, links });
    },
    async sendDue() {
      let mailer: Mailer | undefined;
      const open = (server: SmtpServer) =>
        (mailer ??= parts.openMailer(server, { name: shop.brandName, address: shop.supportEmail }));
      try {
        return await sendDue({
          ...parts,
          async deliver(notice) {
            if (notice.kind === 'alert' && postAlert) {
              await postAlert(messageOfAlert(shop, notice));
              return { outcome: 'sent' };
            }
            if (delivery.kind === 'off') return { outcome: 'no_channel' };
            const mail = await mailOf(delivery.kind === 'demo' ? inDemo(notice) : notice);
            if (typeof mail === 'string') return { outcome: mail };
            if (delivery.kind === 'demo') return { outcome: 'shown' };
            await open(delivery.server).send(mail);
            return { outcome: 'sent' };
          },
        });
      } finally {
        mailer?.close();
      }
    },
    recordAlerts: (found) => db.transaction((run) => recordAlerts(run, found, clock.now())),
    removeOld: () => removeEnded(query, since(keptMs)),
    figures: () => readNoticeFigures(query, since(countedMs)),
  };
}
