import type { Asked, Said, Transcript } from './transcript.js';

/** A message of FreeSWITCH on the event socket. */
export interface EslSaid extends Said {
  readonly from: 'freeswitch';
  readonly head: string;
  readonly body: string;
}

export type EslTranscript = Transcript<EslSaid>;

/** Formats a command for comparison. The events in a subscription are left out: the recorded ones are sent anyway. */
export function textOf(command: string): string {
  return command.replace(/^event json .*/s, 'event json');
}

/** Whether it is a reply to a command; FreeSWITCH replies in the order of the commands. */
export function isReply(line: Asked | EslSaid): line is EslSaid {
  return line.from === 'freeswitch' && /^Content-Type: (command\/reply|api\/response)$/m.test(line.head);
}

/** Splits a stream into messages of the event socket: a head up to an empty line, and a body of the stated length. */
export class Framer {
  #buffer = Buffer.alloc(0);

  constructor(private readonly onMessage: (head: string, body: string) => void) {}

  push(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const end = this.#buffer.indexOf('\n\n');
      if (end < 0) return;
      const head = this.#buffer.toString('utf8', 0, end);
      const length = Number(/^Content-Length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (this.#buffer.length < end + 2 + length) return;
      const body = this.#buffer.toString('utf8', end + 2, end + 2 + length);
      this.#buffer = this.#buffer.subarray(end + 2 + length);
      if (head !== '') this.onMessage(head, body);
    }
  }
}
