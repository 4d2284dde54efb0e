import { readFileSync } from 'node:fs';

/** What one side said to the other on an event socket, one message a line. */
export type Line =
  | { readonly from: 'engine'; readonly text: string }
  | { readonly from: 'freeswitch'; readonly head: string; readonly body: string };

/** What a scenario met outside of the event socket when it was recorded: addresses, folders. */
export type World = Readonly<Record<string, string>>;

export interface Transcript {
  readonly world: World;
  readonly lines: readonly Line[];
}

/** Reads `<name>.jsonl` of the folder beside: the world first, then the lines. */
export function readTranscript(name: string): Transcript {
  const text = readFileSync(new URL(`./freeswitch/${name}.jsonl`, import.meta.url), 'utf8');
  const [world = '{}', ...lines] = text.trimEnd().split('\n');
  return { world: JSON.parse(world) as World, lines: lines.map((line) => JSON.parse(line) as Line) };
}

export function writeTranscript({ world, lines }: Transcript): string {
  return `${[world, ...lines].map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/** Cuts a stream into whole messages of the event socket: a head up to an empty line, and the body whose length it names. */
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
