import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { counted, formatCount } from '#ui/text/amount.ts';

/** The tools that every client lists, '12 tools'; of a server that shows them to those who sign in there, when they appear. */
export function toolCount(server: Pick<ServerAnswer, 'capabilities' | 'askingTools' | 'requires'>): string {
  const { capabilities, askingTools = 0, requires } = server;
  if (capabilities.tools > 0 || requires === undefined) {
    const ofAll = capabilities.tools - askingTools;
    return ofAll === 0 && askingTools > 0 ? `${counted(askingTools, 'tool')} that ask` : counted(ofAll, 'tool');
  }
  return requires === 'sign_in' ? 'Tools after sign-in' : 'Tools with your key';
}

/** Why a client may list fewer tools than the page shows; undefined where every client lists all. */
export function askingText(tools: number | undefined): string | undefined {
  if (tools === undefined || tools === 0) return undefined;
  const ask = tools === 1 ? '1 more asks' : `${formatCount(tools)} more ask`;
  const them = tools === 1 ? 'it' : 'them';
  return `${ask} you something while ${tools === 1 ? 'it runs' : 'they run'}. Your AI client lists ${them} if it can show such questions.`;
}

/** Why a server shows fewer tools than it lists; undefined when none is hidden. */
export function underReviewText(tools: number | undefined): string | undefined {
  if (tools === undefined || tools === 0) return undefined;
  return tools === 1
    ? "1 tool is new or has changed. It's hidden until an administrator approves it."
    : `${formatCount(tools)} tools are new or have changed. They're hidden until an administrator approves them.`;
}

/** Of a server that shows no tool at all. */
export function noToolsText({
  status,
  toolsUnderReview = 0,
}: Pick<ServerAnswer, 'status' | 'toolsUnderReview'>): string {
  if (toolsUnderReview > 0) return 'None of its tools is approved yet.';
  return status === 'connected' ? 'This server has no tools.' : 'Its tools appear here once it can be reached.';
}

/** '{n} credits per call' ('1 credit per call') or 'Free to use'; an unknown cost is no cost. */
export function callCost(creditCost: number | undefined): string {
  if (creditCost === undefined || creditCost === 0) return 'Free to use';
  return `${counted(creditCost, 'credit')} per call`;
}

/** The same of a price that was announced: '500 credits' or 'free'. */
export function comingCost(credits: number): string {
  return credits === 0 ? 'Free' : counted(credits, 'credit');
}
