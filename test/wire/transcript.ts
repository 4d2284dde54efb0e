import { readFileSync } from 'node:fs';

/** What an adapter sent: a command of the event socket, or an HTTP request with its body. */
export interface Asked {
  readonly from: 'engine';
  readonly text: string;
}

/** What an engine said, in the form of its protocol. */
export interface Said {
  readonly from: 'freeswitch' | 'asterisk';
}

/** What a scenario met outside of the wire when it was recorded: addresses, folders. */
export type World = Readonly<Record<string, string>>;

export interface Transcript<S extends Said> {
  readonly world: World;
  /** One message a line, in the order in which they passed. */
  readonly lines: readonly (Asked | S)[];
}

export const ENGINES = ['asterisk', 'freeswitch'] as const;

/** Where the transcript of a scenario is. */
export function transcriptUrl(engine: (typeof ENGINES)[number], scenario: string): URL {
  return new URL(`./${engine}/${scenario.replaceAll(/\W+/g, '-')}.jsonl`, import.meta.url);
}

/** Reads the world first, then the lines. */
export function readTranscript<S extends Said>(file: URL): Transcript<S> {
  const [world = '{}', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return { world: JSON.parse(world) as World, lines: lines.map((line) => JSON.parse(line) as Asked | S) };
}

export function writeTranscript({ world, lines }: Transcript<Said>): string {
  return `${[world, ...lines].map((line) => JSON.stringify(line)).join('\n')}\n`;
}
