import { errors } from 'oidc-provider';
import { isOfLostDatabase } from '../oauth/answer-unavailable.ts';
import { publicFaultOf } from '../oauth/client-documents/document-fault.ts';
import { renderMessagePage, tryAgain, unavailableWords, type Message } from './message-page.ts';

type Words = Pick<Message, 'title' | 'text' | 'next'>;

const dashboard = { label: 'Open your dashboard', href: '/dashboard' };
const registerAgain = 'In the app, remove this connection and add it again with the link from your dashboard.';

/**
 * Renders the page of a failed authorization request whose error cannot be sent back to the client. It says what to do in
 * the client that sent the browser here.
 * @param clientId as in the request: an address if the client publishes a metadata document
 * @param address the request's own, for a retry
 */
export function renderOAuthErrorPage(
  brandName: string,
  out: { error: string; error_description?: string | undefined },
  { error, clientId, address }: { error: unknown; clientId: unknown; address: string },
): string {
  if (isOfLostDatabase(out.error, error)) {
    return renderMessagePage({ brandName, ...unavailableWords, next: tryAgain(address) });
  }
  const description = out.error_description === undefined ? '' : `: ${out.error_description}`;
  const detail = `Details for the developer: ${out.error}${description}`;
  return renderMessagePage({ brandName, ...wordsFor(brandName, out.error, error, publisherOf(clientId)), detail });
}

/** Host where a client publishes its metadata document; undefined for a client that registers. */
function publisherOf(clientId: unknown): string | undefined {
  const isAddress = typeof clientId === 'string' && clientId.length <= 2048 && clientId.startsWith('https://');
  return isAddress ? URL.parse(clientId)?.host : undefined;
}

function wordsFor(brandName: string, code: string, error: unknown, publisher: string | undefined): Words {
  if (error instanceof errors.SessionNotFound) return expiredWords;
  // the client's document decides, so adding the client again changes nothing
  if (publisher !== undefined && code === 'invalid_client') {
    return { title: 'This app could not be checked', text: documentText(brandName, publisher, error) };
  }
  if (publisher !== undefined && code === 'invalid_redirect_uri') {
    return {
      title: "The app's address has changed",
      text: `The app asked to be answered at an address that it does not publish at ${publisher}. Update the app. If it keeps failing, tell its makers.`,
    };
  }
  switch (code) {
    case 'invalid_client':
      return {
        title: 'This app is no longer registered',
        text: `${brandName} doesn't know the app that sent you here: its registration has expired, or is from another installation. ${registerAgain}`,
        next: dashboard,
      };
    case 'invalid_redirect_uri':
      return {
        title: "The app's address has changed",
        text: `The app asked to be answered at an address that it has not registered. ${registerAgain}`,
        next: dashboard,
      };
    default:
      return {
        title: 'Sign-in did not work',
        text: "The app's request could not be completed. Go back to the app and connect again. If that doesn't help, update the app.",
      };
  }
}

function documentText(brandName: string, publisher: string, error: unknown): string {
  const { kind, fault } = publicFaultOf(error instanceof Error ? error.cause : undefined);
  const why = fault === undefined ? '' : `: ${fault}`;
  return kind === 'unfetched'
    ? `${brandName} could not fetch the description that the app publishes at ${publisher}${why}. Try again in a minute. Adding the app again doesn't help. If it keeps failing, ask the operator of this ${brandName}: its network or proxy may not let it reach ${publisher}. If it can, tell the app's makers.`
    : `${brandName} could not use the description that the app publishes at ${publisher}${why}. Adding the app again doesn't help. Update the app. If it keeps failing, tell its makers.`;
}

/** The sign-in's request is no longer stored, or belongs to another browser. */
export const expiredWords: Words = {
  title: 'This sign-in has expired',
  text: 'This sign-in has expired or was started in another browser. If an app sent you here, go back to it and connect again.',
};

/** The request was answered already, has expired, or belongs to another browser. */
export const answeredWords: Words = {
  title: 'This request is no longer open',
  text: 'This request has been answered already, or has expired. Go back to your app.',
};
