/** Reads the id of one of our requests from an answer. Our ids are whole numbers; some servers return them as text. */
export function readOwnId(id: unknown): unknown {
  return typeof id === 'string' && id.length < 16 && /^(?:0|[1-9]\d*)$/.test(id) ? Number(id) : id;
}

export function withOwnId<Message extends object>(message: Message): Message {
  if ('method' in message || !('id' in message)) return message;
  const id = readOwnId(message.id);
  return id === message.id ? message : { ...message, id };
}
