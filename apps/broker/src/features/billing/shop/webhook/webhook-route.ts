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
  // some are about objects without an id, such as a balance: none that we ask for
  data: z.object({ object: z.object({ id: text.optional() }) }),
});

/**
 * Where the payment provider tells us what happened: the signature over the raw body is checked, the event stored, and the
 * answer given; the work comes afterwards. What is forged, altered, too old or of another mode is refused with 400 and
 * leaves nothing behind.
 */
export function mountPaymentWebhook(
  server: FastifyInstance,
  {
    path,
    provider,
    take,
    noteRefusal,
    clock,
  }: {
    path: string;
    provider: PaymentProvider;
    take(event: PaymentEvent): Promise<void>;
    /** Where the secret is another one than the provider's, nothing else tells. */
    noteRefusal(reason: string): void;
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
      noteRefusal(message);
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
