import type { EventType } from '../objects/types.ts';
import { apiVersion } from '../api-version.ts';
import { deliveryTime } from '../storage/storage.ts';
import type { Work } from '../work.ts';

/** Records an event with the object's current state. */
export function emit(work: Work, type: EventType, object: object, previous?: object): void {
  const event = work.add(
    'event',
    {
      id: work.newId('event'),
      object: 'event',
      api_version: apiVersion,
      created: work.time,
      data: { object: structuredClone(object), ...(previous && { previous_attributes: structuredClone(previous) }) },
      livemode: false,
      pending_webhooks: 0,
      request: { id: null, idempotency_key: null },
      type,
    },
    { delivered: true },
  );
  work.events.push(event);
}

/** Queues the events of finished work for the endpoints that subscribe to them. */
export async function queueDeliveries(work: Work): Promise<void> {
  if (work.events.length === 0) return;
  const endpoints = await work.find('webhook_endpoint', { body: { status: 'enabled' }, limit: maxEndpoints });
  for (const event of work.events) {
    const wanted = endpoints.filter(({ body }) => wants(body.enabled_events, event.body.type));
    if (wanted.length === 0) continue;
    event.body.pending_webhooks = wanted.length;
    event.memory.delivered = false;
    work.save(event);
    for (const endpoint of wanted) {
      const id = work.newId('delivery');
      const delivery = { id, object: 'delivery' as const, event: event.id, endpoint: endpoint.id, attempts: 0 };
      work.add('delivery', delivery, {}, { timeline: deliveryTime, dueMs: work.nowMs });
    }
  }
}

/** Stripe's limit. */
export const maxEndpoints = 16;

function wants(enabled: readonly string[], type: string): boolean {
  return enabled.includes('*') || enabled.includes(type);
}
