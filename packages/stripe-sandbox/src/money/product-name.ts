import type { Price } from '../objects/types.ts';
import type { Work } from '../work.ts';

export const productName = async (work: Work, price: Price): Promise<string> =>
  (await work.need('product', price.product)).body.name;
