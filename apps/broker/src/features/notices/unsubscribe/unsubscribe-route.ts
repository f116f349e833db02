import { personNotices } from '@souk/contract/notices.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { bodyParser } from '#platform/http/body-parser.ts';
import { escapeHtml, renderPage, sendPage } from '#platform/http/answers/page.ts';
import { setSwitch } from '../notice-switches.ts';
import { unsubscribePath, type UnsubscribeLinks } from './unsubscribe-links.ts';

const longestForm = 4096;

/**
 * Serves the page behind a mail's link, and the POST of its button and of mail programs (RFC 8058). Opening the page changes
 * nothing, since mail programs and scanners open links by themselves. It needs no sign-in and reads no cookie.
 */
export function mountUnsubscribe(
  server: FastifyInstance,
  { query, links, shop, clock }: { query: Query; links: UnsubscribeLinks; shop: { brandName: string }; clock: Clock },
): void {
  const { brandName } = shop;
  type Request = FastifyRequest<{ Querystring: { token?: unknown } }>;
  const tokenOf = ({ query: { token } }: Request) => (typeof token === 'string' ? token : '');
  const send = (reply: FastifyReply, status: number, title: string, body: string) =>
    sendPage(reply, status, renderPage({ title, brandName, body: `<section class="card">\n${body}\n</section>` }));
  const settings = '<a class="button" href="/dashboard?tab=profile">Choose your e-mails</a>';

  function refuse(reply: FastifyReply) {
    const text = 'This link is incomplete. Sign in to choose the e-mails that you get.';
    return send(
      reply,
      404,
      'Unknown link',
      `<h1>Unknown link</h1>\n<p>${text}</p>\n<div class="row">${settings}</div>`,
    );
  }

  server.get<{ Querystring: { token?: unknown } }>(unsubscribePath, (request, reply) => {
    const token = tokenOf(request);
    const found = links.read(token);
    if (!found) return refuse(reply);
    const name = escapeHtml(personNotices[found.kind].name);
    const action = `${unsubscribePath}?token=${encodeURIComponent(token)}`;
    return send(
      reply,
      200,
      'Stop these e-mails',
      `<h1>Stop these e-mails?</h1>
<p>You won't get e-mails about this any more: ${name}.</p>
<form method="post" action="${escapeHtml(action)}"><div class="row">
<button class="primary" type="submit">Stop them</button>${settings}</div></form>`,
    );
  });

  async function stopMails(request: Request, reply: FastifyReply) {
    const found = links.read(tokenOf(request));
    if (!found) return refuse(reply);
    await setSwitch(query, { ...found, isOn: false, at: new Date(clock.now()) });
    const name = escapeHtml(personNotices[found.kind].name);
    return send(
      reply,
      200,
      'E-mails stopped',
      `<h1>E-mails stopped</h1>
<p>You won't get e-mails about this any more: ${name}. You can switch them on again in your profile.</p>
<div class="row">${settings}</div>`,
    );
  }

  void server.register((scope, _options, done) => {
    // a mail program sends the form in either encoding, and its content is always the same
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      bodyParser(longestForm, () => undefined),
    );
    scope.post(unsubscribePath, stopMails);
    done();
  });
}
