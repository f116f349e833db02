import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { needsTask, type CatalogueItem } from '#features/catalogue/index.ts';
import { canAnswer } from '#features/upstreams/index.ts';

/** Whether tools/list has this tool. One that only runs as a task, or asks what the client cannot answer, would fail. */
export function isListed(capabilities: ClientCapabilities | undefined, item: CatalogueItem): boolean {
  return !needsTask(item) && (item.asks === undefined || canAnswer(capabilities, item.asks));
}
