import { createTransport } from 'nodemailer';
import type { SmtpServer } from '#platform/config/mail.ts';
import { DeliveryError } from '#platform/notices/delivery-error.ts';

export type Mail = {
  /** Several recipients do not see each other. */
  to: string | readonly string[];
  subject: string;
  text: string;
  html: string;
  /** The same on every attempt to send the mail: mail servers treat mails with the same id as one. */
  messageId: string;
  headers: Readonly<Record<string, string>>;
};

export type Mailer = {
  /** @throws DeliveryError */
  send(mail: Mail): Promise<void>;
  /** Connects and signs in. @throws DeliveryError */
  check(): Promise<void>;
  close(): void;
};

const connectTimeoutMs = 10_000;
/** Longest silence of a server. */
const silenceTimeoutMs = 20_000;
/** Limit for a whole mail or check: a slow server may never be silent for long. */
const wholeTimeoutMs = 60_000;
const longestMessage = 300;

/** Opens a connection to the operator's mail server on first use, and keeps it open until `close`. */
export function openMailer(server: SmtpServer, from: { name: string; address: string }): Mailer {
  const transport = createTransport({
    pool: true,
    maxConnections: 1,
    host: server.host,
    port: server.port,
    secure: server.secure,
    requireTLS: server.requireTls,
    ...(server.user !== undefined && { auth: { user: server.user, pass: server.password ?? '' } }),
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    // texts may come from outside: none of them may name a file or an address to read
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    async send({ to, subject, text, html, messageId, headers }) {
      await inTime(
        transport.sendMail({
          from,
          // nodemailer treats an object as one address, even if it contains a comma
          to: { name: '', address: typeof to === 'string' ? to : from.address },
          envelope: { from: from.address, to: [to].flat() },
          subject,
          text,
          html,
          messageId,
          headers: { 'Auto-Submitted': 'auto-generated', ...headers },
        }),
      );
    },
    async check() {
      await inTime(transport.verify());
    },
    close: () => transport.close(),
  };

  async function inTime(work: Promise<unknown>): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(new Error('the mail server takes too long'));
      transport.close();
    }, wholeTimeoutMs);
    // it may still fail after the deadline
    work.catch(() => {});
    try {
      await Promise.race([work, late.promise]);
    } catch (error) {
      throw deliveryError(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** By RFC 3463, codes 5.1 say that the address is wrong. Other refusals may end when the operator changes something. */
function deliveryError(error: unknown): DeliveryError {
  const facts: { code?: unknown; responseCode?: unknown; response?: unknown } = Object(error);
  const response = typeof facts.response === 'string' ? facts.response : '';
  const message = response || (error instanceof Error ? error.message : String(error));
  const isAboutMail = typeof facts.responseCode === 'number' && ['EENVELOPE', 'EMESSAGE'].includes(String(facts.code));
  return new DeliveryError(withoutAddresses(message), {
    isPermanent: /^5\d\d[ -]5\.1\.\d/.test(response),
    isOutage: !isAboutMail,
  });
}

/** Removes addresses, because a server quotes the address that it refuses. */
function withoutAddresses(text: string): string {
  const words = text.slice(0, longestMessage).split(/\s+/);
  return words.map((word) => (word.includes('@') ? '[address]' : word)).join(' ');
}
