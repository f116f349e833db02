import type { Work } from '../work.ts';

/** Id of the endpoint that the sandbox was started with. */
export const ownEndpointId = 'we_own';
const everything = ['*'];

type OwnWebhook = { url: string; secret: string; events?: readonly string[] };

/** Stores the current endpoint, whose address and secret may differ after a restart. */
export async function saveOwnEndpoint(work: Work, webhook: OwnWebhook | undefined): Promise<void> {
  const known = await work.get('webhook_endpoint', ownEndpointId);
  if (known) {
    known.body.status = webhook ? 'enabled' : 'disabled';
    if (webhook) {
      known.body.url = webhook.url;
      known.body.enabled_events = [...(webhook.events ?? everything)];
      known.memory.secret = webhook.secret;
    }
    work.save(known);
    return;
  }
  if (!webhook) return;
  work.add(
    'webhook_endpoint',
    {
      id: ownEndpointId,
      object: 'webhook_endpoint',
      api_version: null,
      application: null,
      created: work.now,
      description: 'The application that this sandbox was started for',
      enabled_events: [...(webhook.events ?? everything)],
      livemode: false,
      metadata: {},
      status: 'enabled',
      url: webhook.url,
    },
    { secret: webhook.secret },
  );
}
