import type { CatalogueItem } from '#features/catalogue/index.ts';

/** Adds the price that was announced for a date, if any, to the description in a tool's definition. */
export function announcePrice(
  { price: { credits, coming } }: CatalogueItem,
  definition: CatalogueItem['definition'],
): CatalogueItem['definition'] {
  if (!coming || coming.credits === credits) return definition;
  const from = new Date(coming.sinceMs).toISOString().slice(0, 16).replace('T', ' ');
  const announced = `From ${from} UTC on a call costs ${coming.credits} credits instead of ${credits}.`;
  const { description } = definition;
  const isText = typeof description === 'string' && description !== '';
  return { ...definition, description: isText ? `${description}\n\n${announced}` : announced };
}
