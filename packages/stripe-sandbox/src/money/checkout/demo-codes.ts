import type { Coupon } from '../../objects/types.ts';
import { addCoupon, addPromotionCode } from '../../objects/promotion-code.ts';
import type { Row, Work } from '../../work.ts';

type DemoCode = {
  /** Description for the README and the page. */
  label: string;
  coupon: Pick<Coupon, 'duration'> &
    Partial<Pick<Coupon, 'percent_off' | 'amount_off' | 'currency' | 'duration_in_months'>>;
  /** Seconds since 1970. */
  expiresAt?: number;
  maxRedemptions?: number;
};

/** Promotion codes to try on the sandbox's pages. */
export const demoCodes: Readonly<Record<string, DemoCode>> = {
  DEMO50: { label: '50 % off the first payment', coupon: { percent_off: 50, duration: 'once' } },
  DEMO20: { label: '20 % off each payment', coupon: { percent_off: 20, duration: 'forever' } },
  DEMO3MONTHS: {
    label: '25 % off for three months',
    coupon: { percent_off: 25, duration: 'repeating', duration_in_months: 3 },
  },
  DEMO5OFF: {
    label: '$5 off the first payment',
    coupon: { amount_off: 500, currency: 'usd', duration: 'once' },
  },
  DEMOFREE: { label: 'the first payment is free', coupon: { percent_off: 100, duration: 'once' } },
  DEMOEXPIRED: {
    label: 'has expired',
    coupon: { percent_off: 50, duration: 'once' },
    expiresAt: Date.UTC(2026, 0, 1) / 1000,
  },
  DEMOUSEDUP: { label: 'was used up', coupon: { percent_off: 50, duration: 'once' }, maxRedemptions: 0 },
};

/** Stores a demo code when it is first entered. */
export function addDemoCode(work: Work, code: string): Row<'promotion_code'> | undefined {
  const demo = Object.hasOwn(demoCodes, code) ? demoCodes[code] : undefined;
  if (!demo) return undefined;
  const coupon = addCoupon(work, { ...demo.coupon, name: code });
  return addPromotionCode(work, {
    code,
    coupon: coupon.id,
    expiresAt: demo.expiresAt,
    maxRedemptions: demo.maxRedemptions,
  });
}
