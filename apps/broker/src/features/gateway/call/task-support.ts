import { asRecord } from '#platform/json.ts';
import type { CatalogueItem } from '#features/catalogue/index.ts';

/** Whether a tool only runs as a task (2025-11-25, basic/utilities/tasks), which this gateway does not support. */
export function needsTask({ definition }: Pick<CatalogueItem, 'definition'>): boolean {
  return asRecord(definition['execution'])?.['taskSupport'] === 'required';
}
