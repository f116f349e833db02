import type { ProviderFailure } from './provider-failure.ts';

const operator = 'the operator of this shop';

/** Tells the user what to do about a request that the payment provider refuses, and would refuse again. */
export function refusalText({ code, message, requestId }: ProviderFailure): string {
  if (code === 'amount_too_small')
    return `The payment provider charges no amount as small as this. Tell ${operator}: the price has to be higher.`;
  if (/combine currencies/i.test(message))
    return `You pay for something here in another currency, and the payment provider takes one currency from each customer. Cancel that first, or ask ${operator}.`;
  const reference = requestId === undefined ? '' : `, with this number: ${requestId}`;
  return `The payment provider refused this, and would refuse it again. Nothing was charged. Tell ${operator}${reference}.`;
}
