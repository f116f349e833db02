import { z } from 'zod';
import { flag, mergeMetadata, metadata, parameters, text, webAddress } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest } from '../api/stripe-error.ts';
import { apiVersion } from '../api-version.ts';
import type { WebhookEndpoint } from '../objects/types.ts';
import { maxEndpoints } from '../webhooks/emit-event.ts';
import { findObject, listRoute, readRoute } from './object-routes.ts';

const enabledEvents = z.array(z.string().max(100)).min(1).max(200);

export function webhookEndpointRoutes(newSecret: () => string) {
  return [
    route(
      'POST',
      'webhook_endpoints',
      parameters({
        url: webAddress,
        enabled_events: enabledEvents,
        description: text.optional(),
        metadata: metadata.optional(),
        api_version: z.literal(apiVersion).optional(),
      }),
      async ({ work, given }) => {
        const others = await work.find('webhook_endpoint', { limit: maxEndpoints });
        if (others.length >= maxEndpoints)
          throw badRequest(`You have reached the maximum of ${maxEndpoints} endpoints.`);
        const secret = newSecret();
        const body: WebhookEndpoint = {
          id: work.newId('webhook_endpoint'),
          object: 'webhook_endpoint',
          api_version: given.api_version ?? null,
          application: null,
          created: work.now,
          description: given.description ?? null,
          enabled_events: given.enabled_events,
          livemode: false,
          metadata: mergeMetadata({}, given.metadata),
          status: 'enabled',
          url: given.url,
        };
        work.add('webhook_endpoint', body, { secret });
        // the secret is returned only once
        return { ...body, secret };
      },
    ),
    listRoute('webhook_endpoint', 'webhook_endpoints'),
    readRoute('webhook_endpoint', 'webhook_endpoints'),
    route(
      'POST',
      'webhook_endpoints/:id',
      parameters({ url: webAddress.optional(), enabled_events: enabledEvents.optional(), disabled: flag.optional() }),
      async ({ work, given, id }) => {
        const row = await findObject(work, 'webhook_endpoint', id);
        const { body } = row;
        if (given.url !== undefined) body.url = given.url;
        if (given.enabled_events !== undefined) body.enabled_events = given.enabled_events;
        if (given.disabled !== undefined) body.status = given.disabled ? 'disabled' : 'enabled';
        work.save(row);
        return body;
      },
    ),
    route('DELETE', 'webhook_endpoints/:id', parameters({}), async ({ work, id }) => {
      await findObject(work, 'webhook_endpoint', id);
      await work.remove([id]);
      return { id, object: 'webhook_endpoint', deleted: true };
    }),
  ];
}
