/** Key in sessionStorage. Its value is the last payment that this tab has started. */
const key = 'souk.begun-payment';

export const rememberBegunPayment = (sessionId: string): void => window.sessionStorage.setItem(key, sessionId);

export const begunPayment = (): string | undefined => window.sessionStorage.getItem(key) ?? undefined;
