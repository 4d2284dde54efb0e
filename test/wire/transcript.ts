import { readFileSync } from 'node:fs';

/** A message of an adapter: a command of the event socket or to drachtio-server, or an HTTP request with its body. */
export interface Asked {
  readonly from: 'engine';
  readonly text: string;
}

/** A message of an engine, or of drachtio-server, in the form of its protocol. */
export interface Said {
  readonly from: 'freeswitch' | 'asterisk' | 'drachtio';
}

/** The recording's environment outside of the protocol: addresses, directories. */
export type World = Readonly<Record<string, string>>;

export interface Transcript<S extends Said> {
  readonly world: World;
  /** One message per line, in the order of transmission. */
  readonly lines: readonly (Asked | S)[];
}

export const ENGINES = ['asterisk', 'freeswitch'] as const;

/** Returns the transcript file of a scenario. */
export function transcriptUrl(of: (typeof ENGINES)[number] | 'drachtio', scenario: string): URL {
  return new URL(`./${of}/${scenario.replaceAll(/\W+/g, '-')}.jsonl`, import.meta.url);
}

/** Reads the environment from the first line, then the messages. */
export function readTranscript<S extends Said>(file: URL): Transcript<S> {
  const [world = '{}', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return { world: JSON.parse(world) as World, lines: lines.map((line) => JSON.parse(line) as Asked | S) };
}

export function writeTranscript({ world, lines }: Transcript<Said>): string {
  return `${[world, ...lines].map((line) => JSON.stringify(line)).join('\n')}\n`;
}
