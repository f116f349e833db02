import type { OrderStatus } from '../orders/order.ts';
import type { PaymentState } from './payment-state.ts';

/**
 * What follows where the provider says this of the payment of an order with that status.
 * wait: nothing yet. accept: it is given, given back, or flagged. finish: what was begun is done. close: the page must take no
 * money any more. nothing: all is done. alarm: it cannot be, and an operator has to look.
 */
export type Outcome = 'wait' | 'accept' | 'finish' | 'expire' | 'fail' | 'close' | 'nothing' | 'alarm';

/** Every pair. Money that the provider has is given for or given back, whatever our order says. */
export const outcomes: Readonly<Record<OrderStatus, Readonly<Record<PaymentState, Outcome>>>> = {
  open: { open: 'wait', expired: 'expire', processing: 'wait', failed: 'fail', paid: 'accept' },
  // by us, as after the deletion of an account: its page may be open still
  expired: { open: 'close', expired: 'nothing', processing: 'wait', failed: 'nothing', paid: 'accept' },
  failed: { open: 'alarm', expired: 'nothing', processing: 'wait', failed: 'nothing', paid: 'accept' },
  paid: { open: 'alarm', expired: 'alarm', processing: 'alarm', failed: 'alarm', paid: 'finish' },
  returning: { open: 'alarm', expired: 'alarm', processing: 'alarm', failed: 'alarm', paid: 'finish' },
  // what becomes of money that came and goes again is told by refunds and disputes
  fulfilled: { open: 'alarm', expired: 'alarm', processing: 'nothing', failed: 'nothing', paid: 'nothing' },
  flagged: { open: 'alarm', expired: 'alarm', processing: 'nothing', failed: 'nothing', paid: 'nothing' },
  refunded: { open: 'alarm', expired: 'alarm', processing: 'nothing', failed: 'nothing', paid: 'nothing' },
  closed: { open: 'alarm', expired: 'alarm', processing: 'nothing', failed: 'nothing', paid: 'nothing' },
};
