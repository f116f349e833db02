import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

const timeoutMs = 10_000;

export type Webhook = {
  url: string;
  /** Address to connect to instead of the URL's: a server on this machine that answers to a public name. */
  connectTo?: { host: string; port: number } | undefined;
  body: string;
  signature: string;
};

/**
 * Posts a webhook.
 * @returns the response status
 * @throws if there is no response in time
 */
export function sendWebhook(webhook: Webhook, signal: AbortSignal): Promise<number> {
  const url = new URL(webhook.url);
  const connectTo = webhook.connectTo;
  // no TLS within this machine
  const request = connectTo || url.protocol === 'http:' ? requestHttp : requestHttps;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        ...(connectTo && { protocol: 'http:', hostname: connectTo.host, port: connectTo.port }),
        method: 'POST',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        headers: {
          host: url.host,
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(webhook.body),
          'stripe-signature': webhook.signature,
          'user-agent': 'Stripe/1.0 (sandbox; no money moves)',
        },
      },
      (response) => {
        // the body is ignored
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    sent.on('error', reject);
    sent.end(webhook.body);
  });
}
