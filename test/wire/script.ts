import type { Asked, Said, Transcript } from './transcript.js';

/** Values that an adapter generates each time: a UUID, or one followed by a time in base 36. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:-[0-9a-z]{8}\b)?/g;

export type BreakPoint = 'before' | 'within';

/** How a replay differs from the recording. For a response, `command` is the command that it answers. */
export interface PeerOptions<S extends Said> {
  /** Maximum bytes per write. */
  readonly pieceBytes?: number;
  /** False: the engine never sends it. */
  readonly keeps?: (said: S, command?: string) => boolean;
  /** Returns all lines in another order. */
  readonly reorders?: (lines: readonly (Asked | S)[]) => readonly (Asked | S)[];
  /** Whether the connections break before this message or in the middle of it. Later connections reach an empty engine. */
  readonly breaksAt?: (said: S, command?: string) => BreakPoint | undefined;
  /** Returns the response to send instead of the recorded one; undefined keeps it. */
  readonly answers?: (command: string) => S | undefined;
  /** How long the engine, which processes messages one by one, takes for this one. */
  readonly takesMs?: (said: S, command?: string) => number;
}

/** A peer's side of its connections. `Call` identifies the receiver of a response. */
export interface Speaker<S extends Said, Call> {
  /** @param call the command to respond to; undefined for an event */
  say(said: S, call: Call | undefined): void;
  /** Breaks the connections before the message or in the middle of it. */
  breakAt(point: BreakPoint, said: S, call: Call | undefined): void;
  /** Answers a command that was not recorded, or no longer expected. */
  improvise(command: string, call: Call): void;
}

/** The engine's part of a transcript, for an adapter that may generate other ids than in the recording. */
export class Script<S extends Said, Call> {
  readonly #lines: readonly (Asked | S)[];
  readonly #waiting: { readonly text: string; readonly call: Call }[] = [];
  /** Indexed by the line of the command. */
  readonly #calls = new Map<number, Call>();
  /** Indexed by the line of the response. */
  readonly #instead = new Map<number, S>();
  /** Maps current ids to recorded ones, and the reverse. */
  readonly #then = new Map<string, string>();
  readonly #now = new Map<string, string>();
  #at = 0;
  #pausedFor: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param commandOf maps the index of each response to the index of its command */
  constructor(
    transcript: Transcript<S>,
    private readonly options: PeerOptions<S>,
    commandOf: (lines: readonly (Asked | S)[]) => ReadonlyMap<number, number>,
    private readonly speaker: Speaker<S, Call>,
  ) {
    this.#lines = options.reorders?.(transcript.lines) ?? transcript.lines;
    this.#commandOf = commandOf(this.#lines);
  }

  readonly #commandOf: ReadonlyMap<number, number>;

  /** Sends everything up to the adapter's next command. */
  speak(): void {
    for (;;) {
      const at = this.#at;
      const line = this.#lines[at];
      if (!line || isAsked(line)) break;
      const pauseMs = this.options.takesMs?.(line, this.#commandAt(at)) ?? 0;
      if (pauseMs > 0 && this.#pausedFor !== at) {
        this.#pausedFor = at;
        this.#timer = setTimeout(() => this.speak(), pauseMs);
        return;
      }
      this.#at += 1;
      if (!this.#say(line, at)) return;
    }
    this.#listen();
  }

  hear(text: string, call: Call): void {
    if (this.#isToCome(text)) {
      this.#waiting.push({ text, call });
      this.#listen();
    } else {
      this.speaker.improvise(text, call);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** What is to come next; undefined at the end. */
  get next(): Asked | S | undefined {
    return this.#lines[this.#at];
  }

  /** Replaces recorded ids with current ones. */
  current(text: string): string {
    return text.replaceAll(ID, (id) => this.#now.get(id) ?? id);
  }

  #listen(): void {
    const at = this.#at;
    const line = this.#lines[at];
    if (!line) {
      for (const { text, call } of this.#waiting.splice(0)) this.speaker.improvise(text, call);
      return;
    }
    if (!isAsked(line)) return;
    const place = this.#waiting.findIndex(({ text }) => this.#isSame(line.text, text));
    const [command] = place < 0 ? [] : this.#waiting.splice(place, 1);
    if (!command) return;
    this.#at += 1;
    this.#calls.set(at, command.call);
    const instead = this.options.answers?.(command.text);
    const answer = [...this.#commandOf].find(([, asked]) => asked === at)?.[0];
    if (instead && answer !== undefined) this.#instead.set(answer, instead);
    this.speak();
  }

  /** Returns the command that this line answers. */
  #commandAt(at: number): string | undefined {
    const asked = this.#lines[this.#commandOf.get(at) ?? -1];
    return asked && isAsked(asked) ? asked.text : undefined;
  }

  /** @returns whether the connection stays open */
  #say(line: S, at: number): boolean {
    const said = this.#instead.get(at) ?? line;
    const command = this.#commandAt(at);
    const call = this.#calls.get(this.#commandOf.get(at) ?? -1);
    const point = this.options.breaksAt?.(said, command);
    if (point !== undefined) this.speaker.breakAt(point, said, call);
    else if (this.options.keeps?.(said, command) !== false) this.speaker.say(said, call);
    return point === undefined;
  }

  #isToCome(text: string): boolean {
    const shape = text.replaceAll(ID, '');
    return this.#lines.slice(this.#at).some((line) => isAsked(line) && line.text.replaceAll(ID, '') === shape);
  }

  /** Whether two texts are equal except for ids, which are then mapped to each other. */
  #isSame(recorded: string, command: string): boolean {
    const [then, now] = [recorded.match(ID) ?? [], command.match(ID) ?? []];
    if (recorded.replaceAll(ID, '') !== command.replaceAll(ID, '') || then.length !== now.length) return false;
    const isKnown = (id: string, index: number): boolean => {
      const current = now[index] ?? '';
      return (this.#now.get(id) ?? current) === current && (this.#then.get(current) ?? id) === id;
    };
    if (!then.every(isKnown)) return false;
    for (const [index, id] of then.entries()) {
      this.#now.set(id, now[index] ?? '');
      this.#then.set(now[index] ?? '', id);
    }
    return true;
  }
}

export function isAsked(line: Asked | Said): line is Asked {
  return line.from === 'engine';
}

/** Writes in pieces of the given size. */
export function inPieces(bytes: Buffer, pieceBytes: number | undefined, write: (piece: Buffer) => void): void {
  const size = pieceBytes ?? bytes.length;
  for (let from = 0; from < bytes.length; from += size) write(bytes.subarray(from, from + size));
}
