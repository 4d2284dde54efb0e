/** An event's headers, and its body as `_body`. */
export type EslEvent = Readonly<Record<string, string>>;

/** FreeSWITCH's format: a head of `name: value` lines, an empty line, and a body of the length that the head states. */
const HEAD_END = '\n\n';
const EVENT_HEAD = /^Content-Type: text\/event-json$/m;
const LENGTH = /^Content-Length: (\d+)$/m;

/**
 * Takes the events out of the stream of the event socket, and passes everything else on. modesl copies the headers of an
 * event three times and finds its listeners by patterns; an event has hundreds of headers, and nearly all frames of a
 * busy engine are events.
 */
export class EventFrames {
  #received: Buffer = Buffer.alloc(0);

  /** @param onOther gets the bytes of whole frames that are no events */
  constructor(
    private readonly onEvent: (event: EslEvent) => void,
    private readonly onOther: (bytes: Buffer) => void,
  ) {}

  /** @throws SyntaxError for an event that is not JSON */
  push(chunk: Buffer): void {
    const bytes = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    let [start, other] = [0, 0];
    for (;;) {
      const headEnd = bytes.indexOf(HEAD_END, start);
      if (headEnd < 0) break;
      const head = bytes.toString('latin1', start, headEnd);
      const bodyStart = headEnd + HEAD_END.length;
      const end = bodyStart + Number(LENGTH.exec(head)?.[1] ?? 0);
      if (bytes.length < end) break;
      if (EVENT_HEAD.test(head)) {
        // In the order of their arrival: a reply may mean that an earlier event is complete.
        if (other < start) this.onOther(bytes.subarray(other, start));
        other = end;
        this.onEvent(eventOf(bytes.toString('utf8', bodyStart, end)));
      }
      start = end;
    }
    if (other < start) this.onOther(bytes.subarray(other, start));
    this.#received = bytes.subarray(start);
  }
}

function eventOf(json: string): EslEvent {
  const event = JSON.parse(json) as Record<string, unknown>;
  // Lists are variables of no interest; the length of a body is a number.
  for (const name in event) if (typeof event[name] !== 'string') event[name] = text(event[name]);
  return event as EslEvent;
}

function text(value: unknown): string {
  return typeof value === 'number' ? String(value) : '';
}
