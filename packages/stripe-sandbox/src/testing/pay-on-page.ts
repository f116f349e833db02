export type PageResult = { status: number; location: string | null; text: string };

/** Sends the form of a checkout or an invoice page as a browser does. */
export async function payOnPage(
  url: string,
  card: string,
  changes: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<PageResult> {
  const fields = {
    number: card,
    expiry: '12 / 34',
    cvc: '123',
    name: 'Ada Lovelace',
    email: 'ada@souk.test',
    ...changes,
  };
  const answer = await fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields), headers });
  return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() };
}
