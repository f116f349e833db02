/** A bank's decline in Stripe's words. */
export type Decline = { code: string; declineCode: string; message: string };

export type TestCard = {
  number: string;
  /** Description on the page. */
  label: string;
  /** Outcome of a payment on the page. */
  onPage: 'pays' | 'authenticates' | Decline;
  /** Outcome of a later charge without the owner. */
  later: 'pays' | 'authenticates' | Decline;
  disputed?: true;
  /** Present for a bank account: outcome of a debit, known days later. */
  debit?: 'arrives' | 'fails';
};

const declined: Decline = {
  code: 'card_declined',
  declineCode: 'generic_decline',
  message: 'Your card was declined.',
};
const insufficientFunds: Decline = {
  code: 'card_declined',
  declineCode: 'insufficient_funds',
  message: 'Your card has insufficient funds.',
};

/** Stripe's own test cards, with the same numbers and the same effects. */
export const testCards: readonly TestCard[] = [
  { number: '4242424242424242', label: 'pays', onPage: 'pays', later: 'pays' },
  { number: '4000000000000002', label: 'is declined', onPage: declined, later: declined },
  { number: '4000000000009995', label: 'has insufficient funds', onPage: insufficientFunds, later: insufficientFunds },
  { number: '4000000000000341', label: 'pays now, fails at the renewal', onPage: 'pays', later: declined },
  { number: '4000000000000259', label: 'pays, then is disputed', onPage: 'pays', later: 'pays', disputed: true },
  { number: '4000002500003155', label: 'asks for 3-D Secure', onPage: 'authenticates', later: 'pays' },
  {
    number: '4000002760003184',
    label: 'asks for 3-D Secure each time',
    onPage: 'authenticates',
    later: 'authenticates',
  },
  {
    number: 'AT611904300234573201',
    label: 'bank account: arrives after 3 days',
    onPage: 'pays',
    later: 'pays',
    debit: 'arrives',
  },
  {
    number: 'AT861904300235473202',
    label: 'bank account: fails after 3 days',
    onPage: 'pays',
    later: 'pays',
    debit: 'fails',
  },
];

const byNumber = new Map(testCards.map((card) => [card.number, card]));

export function findTestCard(number: string): TestCard | undefined {
  return byNumber.get(number);
}
