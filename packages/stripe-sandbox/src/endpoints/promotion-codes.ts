import { z } from 'zod';
import { given as filter, listObjects } from '../api/list.ts';
import {
  amount,
  flag,
  id,
  listParameters,
  mergeMetadata,
  metadata,
  parameters,
  text,
  whole,
} from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest } from '../api/stripe-error.ts';
import { addCoupon, addPromotionCode } from '../objects/promotion-code.ts';
import { findCustomer } from './customers.ts';
import { findObject, readRoute } from './object-routes.ts';

const currency = z.string().regex(/^[a-z]{3}$/, 'Invalid currency');
const atLeastOne = whole.pipe(z.number().min(1));
const percent = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,4})?$/, 'Invalid decimal')
  .transform(Number)
  .pipe(z.number().gt(0).max(100));
const code = z.string().regex(/^[A-Za-z0-9-]{1,500}$/, 'letters, digits and -');

export const promotionCodeRoutes = [
  route(
    'POST',
    'coupons',
    parameters({
      id: id.optional(),
      name: text.max(40).optional(),
      percent_off: percent.optional(),
      amount_off: amount.pipe(z.number().min(1)).optional(),
      currency: currency.optional(),
      duration: z.enum(['forever', 'once', 'repeating']).default('once'),
      duration_in_months: atLeastOne.optional(),
      max_redemptions: atLeastOne.optional(),
      redeem_by: whole.optional(),
      metadata: metadata.optional(),
    }),
    async ({ work, given }) => {
      if ((given.percent_off === undefined) === (given.amount_off === undefined))
        throw badRequest('You must pass either `percent_off` or `amount_off`.');
      if ((given.amount_off === undefined) !== (given.currency === undefined))
        throw badRequest('You must pass `currency` when passing `amount_off`, and only then.', { param: 'currency' });
      if ((given.duration === 'repeating') !== (given.duration_in_months !== undefined))
        throw badRequest('`duration_in_months` is for a repeating duration.', { param: 'duration_in_months' });
      if (given.id !== undefined && (await work.getAny(given.id)))
        throw badRequest(`Coupon already exists: ${given.id}`, { code: 'resource_already_exists', param: 'id' });
      return addCoupon(work, { ...given, metadata: mergeMetadata({}, given.metadata) }).body;
    },
  ),
  readRoute('coupon', 'coupons'),
  route(
    'POST',
    'promotion_codes',
    parameters({
      code,
      promotion: z.strictObject({ type: z.literal('coupon'), coupon: id }),
      customer: id.optional(),
      expires_at: whole.optional(),
      max_redemptions: atLeastOne.optional(),
      metadata: metadata.optional(),
      restrictions: z.strictObject({ minimum_amount: amount, minimum_amount_currency: currency }).optional(),
    }),
    async ({ work, given }) => {
      const { coupon } = given.promotion;
      await findObject(work, 'coupon', coupon, 'promotion[coupon]');
      if (given.customer !== undefined) await findCustomer(work, given.customer, 'customer');
      const upper = given.code.toUpperCase();
      const [known] = await work.find('promotion_code', { body: { code: upper, active: true }, limit: 1 });
      if (known)
        throw badRequest(`An active promotion code with \`code: ${upper}\` already exists.`, { param: 'code' });
      return addPromotionCode(work, {
        code: upper,
        coupon,
        customer: given.customer,
        expiresAt: given.expires_at,
        maxRedemptions: given.max_redemptions,
        minimum: given.restrictions && {
          amount: given.restrictions.minimum_amount,
          currency: given.restrictions.minimum_amount_currency,
        },
        metadata: mergeMetadata({}, given.metadata),
      }).body;
    },
  ),
  route(
    'GET',
    'promotion_codes',
    listParameters({ code: code.optional(), active: flag.optional(), customer: id.optional() }),
    ({ work, given }) => {
      const { active, customer } = given;
      const wanted = filter({ code: given.code?.toUpperCase(), active, customer });
      return listObjects(work, 'promotion_code', 'promotion_codes', given, wanted);
    },
  ),
  readRoute('promotion_code', 'promotion_codes'),
  route('POST', 'promotion_codes/:id', parameters({ active: flag }), async ({ work, given, id }) => {
    const row = await findObject(work, 'promotion_code', id);
    row.body.active = given.active;
    work.save(row);
    return row.body;
  }),
];
