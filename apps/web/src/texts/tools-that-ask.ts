import type { CapabilityAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { formatCount } from '#ui/text/amount.ts';

/** A server from the shop or the administrator area. `capabilities.tools` counts both kinds. */
type Counted = { capabilities: { tools: number }; askingTools?: number | undefined };

/** The tools that every client lists, and how many more only some list: '12, 4 more that ask'. */
export function toolFigure({ capabilities, askingTools = 0 }: Counted): string {
  return `${formatCount(capabilities.tools - askingTools)}${moreThatAsk(askingTools)}`;
}

/** ', 4 more that ask', or nothing. */
export const moreThatAsk = (tools: number): string =>
  tools === 0 ? '' : `, ${formatCount(tools)} more that ${tools === 1 ? 'asks' : 'ask'}`;

export const asksTexts: Record<NonNullable<CapabilityAnswer['asks']>, string> = {
  form: 'Asks you questions',
  url: 'Asks you to open a page',
  sampling: "Uses your client's model",
  roots: 'Asks for your folders',
};
