import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Clock } from '#platform/clock.ts';
import { bodyParser } from '#platform/http/body-parser.ts';
import { SoukError } from '#platform/errors.ts';
import type { PaymentEvent } from './payment-event.ts';

/** More than the largest event that the provider sends. */
const maxBodyBytes = 512 * 1024;

/** PostgreSQL stores no NUL. */
const text = z
  .string()
  .min(1)
  .max(255)
  .refine((value) => !value.includes('\0'));
const eventSchema = z.object({
  id: text,
  type: text,
  livemode: z.boolean(),
  // some objects have no id, such as a balance: we subscribe to no such event
  data: z.object({ object: z.object({ id: text.optional() }) }),
});

/**
 * The webhook of the payment provider: checks the signature over the raw body, stores the event and answers; the event is
 * processed afterwards. A forged, altered or old event, or one of another mode, is refused with 400 and not stored.
 */
export function mountPaymentWebhook(
  server: FastifyInstance,
  {
    path,
    provider,
    take,
    recordRefusal,
    clock,
  }: {
    path: string;
    provider: PaymentProvider;
    take(event: PaymentEvent): Promise<void>;
    /** Reports a refusal: with a wrong secret there is no other sign. */
    recordRefusal(reason: string): void;
    clock: Clock;
  },
): void {
  void server.register((scope, _options, done) => {
    // the signature is over the bytes, of any content type
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      bodyParser(maxBodyBytes, (bytes) => bytes),
    );
    const refused = (message: string) => {
      recordRefusal(message);
      return new SoukError('invalid_request', { message });
    };
    scope.post<{ Body: Buffer | undefined }>(path, async (request) => {
      const signature = request.headers['stripe-signature'];
      if (!Buffer.isBuffer(request.body) || typeof signature !== 'string') throw refused('The signature is missing.');
      const signed = provider.readEvent(request.body, signature, clock.now());
      if (!signed) throw refused('The signature is not valid.');
      const { data: event } = eventSchema.safeParse(signed);
      if (!event) throw refused('This is not an event.');
      if (event.livemode !== provider.livemode) throw refused('This event is of another mode.');
      const { id: objectId } = event.data.object;
      if (objectId !== undefined) await take({ id: event.id, type: event.type, objectId });
      return { received: true };
    });
    done();
  });
}
