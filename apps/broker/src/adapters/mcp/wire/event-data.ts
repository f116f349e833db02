import { withoutMark } from './byte-order-mark.ts';

/** What complete server-sent events hold. */
export type ReadEvents = {
  /** The data of each message event. Empty events and events of another type are left out. */
  data: string[];
  /** The last event's id, with which the stream can be taken up again; undefined where none was given. */
  lastEventId: string | undefined;
  /** How long the server wants a client to wait before that; undefined where it did not say. */
  retryMs: number | undefined;
};

/** A longer id would not fit into a header of every server. */
const maxIdLength = 1024;

/**
 * Reads complete server-sent events (WHATWG HTML, section 9.2.6). A byte order mark may also stand before an event that is not
 * the first one, and before its data: servers that write each event by itself send one each time.
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
