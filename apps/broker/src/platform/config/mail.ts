import type { Environment } from './environment.ts';
import { isLoopback } from './is-loopback.ts';

export type SmtpServer = {
  host: string;
  port: number;
  /** Whether the connection uses TLS from the first byte. */
  secure: boolean;
  /** Whether STARTTLS is required before any mail is sent. */
  requireTls: boolean;
  user: string | undefined;
  password: string | undefined;
};

/** Where e-mails go: to a server, to a page of the demo, or nowhere. */
export type MailDelivery = { kind: 'smtp'; server: SmtpServer } | { kind: 'demo' } | { kind: 'off' };

/** The operator's webhook for alerts. With a secret, each request is signed. */
export type AlertWebhook = { url: string; secret: string | undefined };

/** Reads where e-mails go. A shop with demo sign-in sends none beyond this machine: its users' addresses are unconfirmed. */
export function readMail(
  env: Environment,
  { standIn, production }: { standIn: boolean; production: boolean },
  problems: string[],
): MailDelivery {
  if (env.SMTP_URL === undefined) return { kind: standIn && !production ? 'demo' : 'off' };
  const server = readServer(env.SMTP_URL);
  if (typeof server === 'string') {
    problems.push(`SMTP_URL ${server}`);
    return { kind: 'off' };
  }
  if (env.SUPPORT_EMAIL.endsWith('.test') && production)
    problems.push('SMTP_URL is set without SUPPORT_EMAIL, which e-mails are sent from');
  if (standIn && env.ALLOW_DEV_SIGN_IN)
    problems.push('SMTP_URL and ALLOW_DEV_SIGN_IN exclude each other: anyone could have e-mails sent to any address');
  return { kind: 'smtp', server };
}

function readServer(text: string): SmtpServer | string {
  const url = URL.parse(text);
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    return 'must look like smtp://user:password@host:587 or smtps://user:password@host:465';
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '')
    return 'must have only a scheme, user, password, host and port, without a path or options';
  let user: string;
  let password: string;
  try {
    user = decodeURIComponent(url.username);
    password = decodeURIComponent(url.password);
  } catch {
    return 'must have its user and password percent-encoded: % as %25, @ as %40';
  }
  if ((user === '') !== (password === '')) return 'must have both a user and a password, or neither';
  const secure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTls: !secure && user !== '' && !isLoopback(new URL(`http://${url.hostname}`)),
    user: user || undefined,
    password: password || undefined,
  };
}

export function readAlertWebhook(env: Environment, problems: string[]): AlertWebhook | undefined {
  if (env.ALERT_WEBHOOK_SECRET !== undefined && env.ALERT_WEBHOOK_URL === undefined)
    problems.push('ALERT_WEBHOOK_SECRET is set without ALERT_WEBHOOK_URL');
  if (env.ALERT_WEBHOOK_URL === undefined) return undefined;
  const url = URL.parse(env.ALERT_WEBHOOK_URL);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '') {
    problems.push('ALERT_WEBHOOK_URL must be an http or https address without a user');
    return undefined;
  }
  return { url: url.href, secret: env.ALERT_WEBHOOK_SECRET };
}
