import type { Client, SubscriptionFilter } from '@modelcontextprotocol/client';
import { Backoff } from '#platform/work/backoff.ts';
import type { OpenOptions } from './open-options.ts';

/**
 * Reports changed lists. A legacy server sends notices unprompted; a modern one sends them over subscriptions/listen, one
 * long stream that is reopened when it ends. Never delays or fails the upstream connection.
 * @returns a function that stops listening
 */
export function listenForListChanges(client: Client, options: OpenOptions): () => void {
  const { onToolListChanged, onPromptListChanged, onResourceListChanged } = options;
  if (onToolListChanged) client.setNotificationHandler('notifications/tools/list_changed', onToolListChanged);
  if (onPromptListChanged) client.setNotificationHandler('notifications/prompts/list_changed', onPromptListChanged);
  if (onResourceListChanged) {
    client.setNotificationHandler('notifications/resources/list_changed', onResourceListChanged);
  }
  if (client.getProtocolEra() !== 'modern') return () => {};
  const offered = client.getServerCapabilities();
  const filter: SubscriptionFilter = {
    ...(onToolListChanged && offered?.tools?.listChanged && { toolsListChanged: true }),
    ...(onPromptListChanged && offered?.prompts?.listChanged && { promptsListChanged: true }),
    ...(onResourceListChanged && offered?.resources?.listChanged && { resourcesListChanged: true }),
  };
  if (Object.keys(filter).length === 0) return () => {};

  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const backoff = new Backoff();
  const listen = async (isRetry: boolean): Promise<void> => {
    try {
      const subscription = await client.listen(filter, { timeout: options.connectTimeoutMs, signal: stop.signal });
      // the list may have changed while no stream was open
      if (isRetry && filter.toolsListChanged) onToolListChanged?.();
      if (isRetry && filter.promptsListChanged) onPromptListChanged?.();
      if (isRetry && filter.resourcesListChanged) onResourceListChanged?.();
      if ((await subscription.closed) === 'local') return;
    } catch (error) {
      options.log.debug({ err: error }, 'an upstream refused subscriptions/listen');
    }
    if (stop.signal.aborted) return;
    timer = setTimeout(() => void listen(true), backoff.next()).unref();
  };
  void listen(false);
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}
