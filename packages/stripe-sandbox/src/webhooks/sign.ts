import { createHmac } from 'node:crypto';

/** Returns the Stripe-Signature header: the time, and an HMAC over time and body. */
export function signWebhook(body: string, secret: string, atS: number): string {
  const mac = createHmac('sha256', secret).update(`${atS}.${body}`).digest('hex');
  return `t=${atS},v1=${mac}`;
}
