import { config, sells } from '#web/config.ts';

/** The FAQ of Contact (spec part 1, section 2), without the questions about payment if nothing is sold. */
export const contactQuestions = [
  {
    id: 'start',
    title: 'How do I get started?',
    content:
      'Choose Sign In at the top of any page and continue with Google. You need no other account and no password. Then find a service in the marketplace and switch it on.',
  },
  ...(sells
    ? [
        {
          id: 'pay',
          title: 'How do I pay?',
          content: `By card: credit or debit. You enter it on the page of our payment provider, so ${config.brandName} never sees its number.`,
        },
        {
          id: 'cancel',
          title: 'Can I cancel?',
          content:
            'Yes, any time, from your dashboard: open Billing and choose Cancel. You keep access until the end of the period you paid for.',
        },
      ]
    : []),
  {
    id: 'claude',
    title: 'How do I integrate with Claude?',
    content: `In Claude, open Customize, Connectors, choose + and Add custom connector, and paste ${config.publicUrl}/mcp. Claude then asks you to sign in here, once. The home page has the steps for Claude Code and other clients.`,
  },
];
