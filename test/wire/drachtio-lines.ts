import { isAsked } from './script.js';
import type { Asked, Said, Transcript } from './transcript.js';

/** A message of drachtio-server to an application. */
export interface DrachtioSaid extends Said {
  readonly from: 'drachtio';
  readonly text: string;
}

export type DrachtioTranscript = Transcript<DrachtioSaid>;

/** The request whose outcome a message reports: `…|response|<id of the request>|…`. */
const ANSWERED = /^[^|]*\|response\|([^|]+)\|/;

/** Maps each response of drachtio-server to the message that it answers; a proxied call has several. */
export function commandOf(lines: readonly (Asked | DrachtioSaid)[]): ReadonlyMap<number, number> {
  const asked = new Map(lines.flatMap((line, at) => (isAsked(line) ? [[idOf(line.text), at] as const] : [])));
  return new Map(
    lines.flatMap((line, at) => {
      const command = isAsked(line) ? undefined : asked.get(ANSWERED.exec(line.text)?.[1] ?? '');
      return command === undefined ? [] : [[at, command] as const];
    }),
  );
}

/** The id of a message, with which it begins. */
export function idOf(text: string): string {
  return text.slice(0, text.indexOf('|'));
}

/** A message, as it is sent: the number of its bytes, `#` and its text. */
export function frameOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${bytes.length}#`), bytes]);
}

/** Splits a stream into messages. */
export class Framer {
  #buffer = Buffer.alloc(0);

  constructor(private readonly onMessage: (text: string) => void) {}

  push(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const mark = this.#buffer.indexOf('#');
      if (mark < 0) return;
      const end = mark + 1 + Number(this.#buffer.toString('latin1', 0, mark));
      if (this.#buffer.length < end) return;
      const text = this.#buffer.toString('utf8', mark + 1, end);
      this.#buffer = this.#buffer.subarray(end);
      this.onMessage(text);
    }
  }
}
