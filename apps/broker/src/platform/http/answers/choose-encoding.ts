export type Encoding = 'br' | 'gzip';

/** Longer than any real client's header. The rest is not read. */
const maxHeaderLength = 512;

/** Returns the best encoding that Accept-Encoding allows by name (RFC 9110, section 12.5.3). */
export function chooseEncoding(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const accepted = new Set(
    header.slice(0, maxHeaderLength).toLowerCase().split(',').map(readCoding).filter(isAllowed).map(nameOf),
  );
  if (accepted.has('br')) return 'br';
  return accepted.has('gzip') ? 'gzip' : undefined;
}

type Coding = { name: string; weight: number };

function readCoding(text: string): Coding {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return { name, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
}

// weight 0 refuses an encoding
const isAllowed = ({ weight }: Coding) => weight > 0;
const nameOf = ({ name }: Coding) => name;
