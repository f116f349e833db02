import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { counted, formatCount } from '#ui/text/amount.ts';

/** Counts the tools that every client lists, '12 tools', or says when a server that needs an account shows them. */
export function toolCount(server: Pick<ServerAnswer, 'capabilities' | 'askingTools' | 'requires'>): string {
  const { capabilities, askingTools = 0, requires } = server;
  if (capabilities.tools > 0 || requires === undefined) {
    const ofAll = capabilities.tools - askingTools;
    return ofAll === 0 && askingTools > 0 ? `${counted(askingTools, 'tool')} that ask` : counted(ofAll, 'tool');
  }
  return requires === 'sign_in' ? 'Tools after sign-in' : 'Tools with your key';
}

/** Says why a client may list fewer tools than the page shows; undefined if every client lists all. */
export function askingText(tools: number | undefined): string | undefined {
  if (tools === undefined || tools === 0) return undefined;
  const ask = tools === 1 ? '1 more asks' : `${formatCount(tools)} more ask`;
  const them = tools === 1 ? 'it' : 'them';
  return `${ask} you something while ${tools === 1 ? 'it runs' : 'they run'}. Your AI client lists ${them} if it can show such questions.`;
}

/** Says why a server shows fewer tools than it lists; undefined if none is hidden. */
export function underReviewText(tools: number | undefined): string | undefined {
  if (tools === undefined || tools === 0) return undefined;
  return tools === 1
    ? "1 tool is new or has changed. It's hidden until an administrator approves it."
    : `${formatCount(tools)} tools are new or have changed. They're hidden until an administrator approves them.`;
}

export function noToolsText({
  status,
  toolsUnderReview = 0,
}: Pick<ServerAnswer, 'status' | 'toolsUnderReview'>): string {
  if (toolsUnderReview > 0) return 'None of its tools is approved yet.';
  return status === 'connected' ? 'This server has no tools.' : 'Its tools appear here once it can be reached.';
}

/** '{n} credits per call' ('1 credit per call') or 'Free to use'; an unknown cost counts as none. */
export function callCost(creditCost: number | undefined): string {
  if (creditCost === undefined || creditCost === 0) return 'Free to use';
  return `${counted(creditCost, 'credit')} per call`;
}

/** The cost of an announced price: '500 credits' or 'Free'. */
export function comingCost(credits: number): string {
  return credits === 0 ? 'Free' : counted(credits, 'credit');
}
