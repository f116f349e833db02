export type Encoding = 'br' | 'gzip';

/** No client names so many encodings: what stands behind is not read. */
const maxHeaderLength = 512;

/**
 * The better of the encodings that we write and an Accept-Encoding header allows (RFC 9110, section 12.5.3); undefined
 * where it allows neither by name.
 */
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

/** Weight 0 refuses an encoding. */
const isAllowed = ({ weight }: Coding) => weight > 0;
const nameOf = ({ name }: Coding) => name;
