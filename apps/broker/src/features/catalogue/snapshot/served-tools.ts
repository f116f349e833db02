import { asRecord } from '#platform/json.ts';
import type { CatalogueItem, CatalogueServer } from './snapshot.ts';

/** Whether a tool only runs as a task (2025-11-25, basic/utilities/tasks), which this gateway does not support. */
export function needsTask({ definition }: Pick<CatalogueItem, 'definition'>): boolean {
  return asRecord(definition['execution'])?.['taskSupport'] === 'required';
}

/** Returns the tools on a server's link, including those only for clients that can answer the tool's questions. */
export function servedTools({ tools }: Pick<CatalogueServer, 'tools'>): readonly CatalogueItem[] {
  return tools.some(needsTask) ? tools.filter((tool) => !needsTask(tool)) : tools;
}

/** Returns the tools on a server's link for clients that cannot answer questions. */
export function toolsOfEveryClient(server: Pick<CatalogueServer, 'tools'>): readonly CatalogueItem[] {
  return servedTools(server).filter(({ asks }) => asks === undefined);
}
