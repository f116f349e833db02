import { createTransport } from 'nodemailer';
import type { SmtpServer } from '#platform/config/mail.ts';
import { NotTakenError } from '#platform/notices/not-taken-error.ts';

export type Mail = {
  /** Several do not see each other. */
  to: string | readonly string[];
  subject: string;
  text: string;
  html: string;
  /** Stays the same when it is sent again: mail servers take two with one id for the same mail. */
  messageId: string;
  headers: Readonly<Record<string, string>>;
};

export type Mailer = {
  /** @throws NotTakenError */
  send(mail: Mail): Promise<void>;
  /** Connects and signs in. @throws NotTakenError */
  check(): Promise<void>;
  close(): void;
};

const connectTimeoutMs = 10_000;
/** A server that says nothing for so long is given up. */
const silenceTimeoutMs = 20_000;
/** A server that goes on answering slowly is not waited for longer than this. */
const wholeTimeoutMs = 60_000;
const longestMessage = 300;

/** Opens a connection to the operator's mail server on first use, and keeps it until it is closed. */
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
    // texts come from others too: none of them may name a file or an address to be read
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    async send({ to, subject, text, html, messageId, headers }) {
      await inTime(
        transport.sendMail({
          from,
          // nodemailer takes an object for one address, also where the text has a comma
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
      throw notTaken(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** RFC 3463: of 5.1, the address is what is wrong. Other refusals may end when the operator has changed something. */
function notTaken(error: unknown): NotTakenError {
  const facts: { code?: unknown; responseCode?: unknown; response?: unknown } = Object(error);
  const response = typeof facts.response === 'string' ? facts.response : '';
  const message = response || (error instanceof Error ? error.message : String(error));
  const isAboutMail = typeof facts.responseCode === 'number' && ['EENVELOPE', 'EMESSAGE'].includes(String(facts.code));
  return new NotTakenError(withoutAddresses(message), {
    isForGood: /^5\d\d[ -]5\.1\.\d/.test(response),
    isAway: !isAboutMail,
  });
}

/** A server repeats the address that it refuses. */
function withoutAddresses(text: string): string {
  const words = text.slice(0, longestMessage).split(/\s+/);
  return words.map((word) => (word.includes('@') ? '[address]' : word)).join(' ');
}
