import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { openMailer } from '#adapters/mail/smtp-mailer.ts';
import type { Config } from '#platform/config.ts';
import { createGuardedConnector } from '#platform/http/outgoing/guarded-connector.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import { messageOf } from '#platform/thrown.ts';
import type { ConfigCheck } from './config-checks.ts';

type MailConfig = Pick<Config, 'mail' | 'alertWebhook' | 'brandName' | 'supportEmail' | 'upstreamAllowAddresses'>;

/** Returns why the mail server does not accept mails; undefined if it does, or if none is configured. Sends nothing. */
async function mailFault({ mail, brandName, supportEmail }: MailConfig): Promise<string | undefined> {
  if (mail.kind !== 'smtp') return undefined;
  const mailer = openMailer(mail.server, { name: brandName, address: supportEmail });
  try {
    await mailer.check();
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    mailer.close();
  }
}

/** Only warns, since an unreachable mail server does not make the configuration invalid. */
export const checkMail: ConfigCheck = async (config, { warn }) => {
  const fault = await mailFault(config);
  if (fault !== undefined) warn(`SMTP_URL: the mail server cannot be used: ${fault}`);
  return [];
};

/** Connects and signs in to the mail server, and connects to the alert webhook. Sends nothing. */
export async function examineNotices(config: MailConfig, outgoing: Outgoing): Promise<ConnectionCheck[]> {
  const checks: ConnectionCheck[] = [];
  const add = (id: string, name: string, fault: string | undefined, passed: string, advice: string) =>
    checks.push(
      fault === undefined
        ? { id, name, status: 'passed', detail: passed, advice: null }
        : { id, name, status: 'failed', detail: fault, advice },
    );
  if (config.mail.kind === 'smtp') {
    const advice = 'Check SMTP_URL, and what the mail server allows from this machine.';
    const passed = 'Connected and signed in; nothing was sent.';
    add('mail', 'The mail server accepts e-mails', await mailFault(config), passed, advice);
  }
  if (config.alertWebhook) {
    const fault = await webhookFault(config.alertWebhook.url, config, outgoing);
    const advice = 'Check ALERT_WEBHOOK_URL; a private address has to be in UPSTREAM_ALLOW_ADDRESSES.';
    add('alert-webhook', 'The alert webhook can be reached', fault, 'Connected; nothing was sent.', advice);
  }
  return checks;
}

async function webhookFault(
  address: string,
  { upstreamAllowAddresses: allowAddresses }: MailConfig,
  outgoing: Outgoing,
): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(address);
  const connect = createGuardedConnector({ allowAddresses, publicNeedsTls: true, connectTimeoutMs: 5_000, outgoing });
  try {
    (await connect({ protocol, hostname, port })).destroy();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
