import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { openMailer } from '#adapters/mail/smtp-mailer.ts';
import type { Config } from '#platform/config.ts';
import { createGuardedConnector } from '#platform/http/outgoing/guarded-connector.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import type { ConfigCheck } from './config-checks.ts';

type MailConfig = Pick<Config, 'mail' | 'alertWebhook' | 'brandName' | 'supportEmail' | 'upstreamAllowAddresses'>;

/** Why the mail server does not take mails; undefined: it does, or there is none. Nothing is sent. */
async function mailFault({ mail, brandName, supportEmail }: MailConfig): Promise<string | undefined> {
  if (mail.kind !== 'smtp') return undefined;
  const mailer = openMailer(mail.server, { name: brandName, address: supportEmail });
  try {
    await mailer.check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    mailer.close();
  }
}

/** A mail server that is away is no fault of the configuration, and still should be known. */
export const checkMail: ConfigCheck = async (config, { warn }) => {
  const fault = await mailFault(config);
  if (fault !== undefined) warn(`SMTP_URL: the mail server cannot be used now: ${fault}`);
  return [];
};

/** Connects to the mail server and signs in; connects to the receiver of alerts. Neither is sent anything. */
export async function examineNotices(config: MailConfig, outgoing: Outgoing): Promise<ConnectionCheck[]> {
  const checks: ConnectionCheck[] = [];
  if (config.mail.kind === 'smtp') {
    const fault = await mailFault(config);
    checks.push({
      id: 'mail',
      name: 'The mail server takes e-mails',
      status: fault === undefined ? 'passed' : 'failed',
      detail: fault ?? 'It was connected to and signed in to; nothing was sent.',
      advice: fault === undefined ? null : 'Look at SMTP_URL, and at what the mail server allows from this machine.',
    });
  }
  if (config.alertWebhook) {
    const fault = await webhookFault(config.alertWebhook.url, config, outgoing);
    checks.push({
      id: 'alert-webhook',
      name: 'The receiver of alerts can be reached',
      status: fault === undefined ? 'passed' : 'failed',
      detail: fault ?? 'It was connected to; nothing was sent.',
      advice:
        fault === undefined
          ? null
          : 'Look at ALERT_WEBHOOK_URL; a private address has to be in UPSTREAM_ALLOW_ADDRESSES.',
    });
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
    return error instanceof Error ? error.message : String(error);
  }
}
