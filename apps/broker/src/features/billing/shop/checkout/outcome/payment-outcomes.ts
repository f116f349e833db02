import type { OrderStatus } from '../orders/order.ts';
import type { PaymentState } from './payment-state.ts';

/**
 * Consequence of the status of an order and the provider's state of its payment.
 * wait: nothing yet. accept: deliver, refund or flag it. finish: complete what was begun. close: end the page. nothing: all is
 * done. alarm: this cannot happen, and an operator has to look.
 */
export type Outcome = 'wait' | 'accept' | 'finish' | 'expire' | 'fail' | 'close' | 'nothing' | 'alarm';

/** Every pair. Money that the provider has is always fulfilled or refunded. */
export const outcomes: Readonly<Record<OrderStatus, Readonly<Record<PaymentState, Outcome>>>> = {
  open: { open: 'wait', expired: 'expire', processing: 'wait', failed: 'fail', paid: 'accept' },
  // expired by us, as after the deletion of an account: its page may still be open
  expired: { open: 'close', expired: 'nothing', processing: 'wait', failed: 'nothing', paid: 'accept' },
  failed: { open: 'alarm', expired: 'nothing', processing: 'wait', failed: 'nothing', paid: 'accept' },
  paid: { open: 'alarm', expired: 'alarm', processing: 'alarm', failed: 'alarm', paid: 'finish' },
  returning: { open: 'alarm', expired: 'alarm', processing: 'alarm', failed: 'alarm', paid: 'finish' },
  // refunds and disputes have their own events
  fulfilled: { open: 'alarm', expired: 'alarm', processing: 'nothing', failed: 'nothing', paid: 'nothing' },
  flagged: { open: 'alarm', expired: 'alarm', processing: 'nothing', failed: 'nothing', paid: 'nothing' },
  refunded: { open: 'alarm', expired: 'alarm', processing: 'nothing', failed: 'nothing', paid: 'nothing' },
  closed: { open: 'alarm', expired: 'alarm', processing: 'nothing', failed: 'nothing', paid: 'nothing' },
};
