/** In sessionStorage: the payment that this tab has left for last. */
const key = 'souk.begun-payment';

export const rememberBegunPayment = (sessionId: string): void => window.sessionStorage.setItem(key, sessionId);

export const begunPayment = (): string | undefined => window.sessionStorage.getItem(key) ?? undefined;
