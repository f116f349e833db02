import type Stripe from 'stripe';

/** A type of the SDK in its JSON form, in which decimals are text. */
export type Wire<T> = T extends string | number | boolean | null | undefined | void
  ? T
  : T extends Stripe.Decimal
    ? string
    : T extends readonly (infer Item)[]
      ? Wire<Item>[]
      : { [Key in keyof T]: Wire<T[Key]> };

/** An SDK type with some fields narrowed to what we store. Incompatible fields are type errors. */
export type Narrow<T, Over extends { [Key in keyof Over]: Key extends keyof T ? Wire<T[Key]> : never }> = Omit<
  Wire<T>,
  keyof Over
> &
  Over;

export type List<Item> = { object: 'list'; data: Item[]; has_more: boolean; url: string };
