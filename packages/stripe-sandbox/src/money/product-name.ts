import type { Price } from '../objects/types.ts';
import type { Work } from '../work.ts';

/** What people know a price by: the name of its product. */
export const productName = async (work: Work, price: Price): Promise<string> =>
  (await work.need('product', price.product)).body.name;
