import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { callbackify } from 'node:util';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

/** A mail as it arrived at the server; `text` without the quoted-printable encoding of its parts. */
export type ReceivedMail = { from: string; to: string[]; source: string; text: string };

export type MailServer = {
  /** SMTP_URL of a shop that sends its mails here. */
  url: string;
  received: ReceivedMail[];
  /** Reply to the next mails; undefined: they are accepted. */
  refuse: { code: number; message: string } | undefined;
  /** Called when a mail has arrived completely, before the reply. */
  beforeAnswer: () => Promise<void>;
  stop(): Promise<void>;
};

/** Starts a real SMTP server on this machine, which keeps the mails. */
export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo(_address, _session, done) {
      const { refuse } = mail;
      done(refuse && Object.assign(new Error(refuse.message), { responseCode: refuse.code }));
    },
    onData: callbackify(async (stream: Readable, { envelope }: SMTPServerSession) => {
      const from = envelope.mailFrom ? envelope.mailFrom.address : '';
      const to = envelope.rcptTo.map(({ address }) => address);
      const source = (await buffer(stream)).toString('utf8');
      received.push({ from, to, source, text: decoded(source) });
      await mail.beforeAnswer();
    }),
  });
  // some tests are about clients that disconnect in the middle
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const mail: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refuse: undefined,
    beforeAnswer: async () => {},
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mail;
}

/** Decodes quoted-printable (RFC 2045, section 6.7). */
function decoded(source: string): string {
  const bytes = source
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
