export interface ServerSentEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

const LINE_END = /\r\n|\n|\r/;

/** Parses server-sent events (WHATWG HTML §9.2.6). Comments, which keep the connection open, are skipped. */
export async function* serverSentEvents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let lines: string[] = [];
  for await (const bytes of stream) {
    rest += decoder.decode(bytes, { stream: true });
    // A carriage return at the end may be the first half of a line break.
    const upTo = rest.endsWith('\r') ? rest.length - 1 : rest.length;
    const parts = rest.slice(0, upTo).split(LINE_END);
    rest = (parts.pop() ?? '') + rest.slice(upTo);
    for (const line of parts) {
      if (line !== '') {
        lines.push(line);
        continue;
      }
      const event = parse(lines);
      lines = [];
      if (event) yield event;
    }
  }
}

function parse(lines: readonly string[]): ServerSentEvent | null {
  let id: string | null = null;
  let event = 'message';
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'id') id = value;
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
  }
  return data.length === 0 ? null : { id, event, data: data.join('\n') };
}
