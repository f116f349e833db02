import type { CatalogueItem } from '#features/catalogue/index.ts';

/** A tool that runs as a task alone (2025-11-25, basic/utilities/tasks), which this gateway does not offer. */
export function needsTask({ definition }: Pick<CatalogueItem, 'definition'>): boolean {
  const { execution } = definition;
  return (
    typeof execution === 'object' &&
    execution !== null &&
    'taskSupport' in execution &&
    execution.taskSupport === 'required'
  );
}
