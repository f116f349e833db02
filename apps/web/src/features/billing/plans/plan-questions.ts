import { config } from '#web/config.ts';

const demo =
  config.payments === 'sandbox' ? ' This installation takes demo payments only: pay with 4242 4242 4242 4242.' : '';

/** The FAQ of the plans (spec part 1, section 2). */
export const planQuestions = [
  {
    id: 'change',
    title: 'Can I change my plan at any time?',
    content:
      'Yes. An upgrade starts right away, and you pay only the difference for the rest of the period. A downgrade starts with your next period. You can cancel at any time too, in Billing: you keep access until the period you paid for ends, and you can resume until then.',
  },
  {
    id: 'payment',
    title: 'Which payment methods can I use?',
    content: `Credit and debit cards. You pay on the page of our payment provider; ${config.brandName} never sees your card number.${demo}`,
  },
  {
    id: 'trial',
    title: 'Is there a free trial?',
    content:
      "The Free plan has no time limit. Some services also have a trial of their own: start it on the service's page, once per service and without a card. It ends automatically, and nothing is charged.",
  },
];
