/**
 * The id of one of our requests as an answer has it. Our ids are whole numbers; some servers answer with such a number as text.
 */
export function readOwnId(id: unknown): unknown {
  return typeof id === 'string' && id.length < 16 && /^(?:0|[1-9]\d*)$/.test(id) ? Number(id) : id;
}

/** An answer of a server with the id that its request had. */
export function withOwnId<Message extends object>(message: Message): Message {
  if ('method' in message || !('id' in message)) return message;
  const id = readOwnId(message.id);
  return id === message.id ? message : { ...message, id };
}
