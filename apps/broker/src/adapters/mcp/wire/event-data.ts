import { withoutMark } from './byte-order-mark.ts';

type ReadEvents = {
  /** The data of each message event. Empty events and events of another type are left out. */
  data: string[];
  lastEventId: string | undefined;
  retryMs: number | undefined;
};

/** Longest usable event id: a longer one does not fit into every server's headers. */
const maxIdLength = 1024;

/**
 * Reads complete server-sent events (WHATWG HTML, section 9.2.6). A byte order mark may come before any event and before its
 * data: servers that write each event separately send one each time.
 */
export function readEvents(text: string): ReadEvents {
  const read: ReadEvents = { data: [], lastEventId: undefined, retryMs: undefined };
  let data: string | undefined;
  let type = '';
  for (const written of text.split(/\r\n|\n|\r/)) {
    const line = withoutMark(written);
    if (line === '') {
      if (data !== undefined && data !== '' && (type === '' || type === 'message')) read.data.push(data);
      data = undefined;
      type = '';
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data = data === undefined ? withoutMark(value) : `${data}\n${value}`;
    else if (field === 'event') type = value;
    else if (field === 'id' && isHeaderText(value)) read.lastEventId = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) read.retryMs = Number(value);
  }
  return read;
}

function isHeaderText(value: string): boolean {
  return value.length <= maxIdLength && /^[\x20-\x7e]+$/.test(value);
}
