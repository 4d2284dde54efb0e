import type { Asked, Said, Transcript } from './transcript.js';

/** What an adapter chooses anew each time: a UUID, or one with a moment (in base 36) behind it. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:-[0-9a-z]{8}\b)?/g;

export type BreakPoint = 'before' | 'within';

/** How what was recorded is played otherwise. Of what is said as an answer, the command stands behind it. */
export interface PeerOptions<S extends Said> {
  /** Each write has so many bytes at most. */
  readonly pieceBytes?: number;
  /** False: the engine never says it. */
  readonly keeps?: (said: S, command?: string) => boolean;
  /** All lines in another order. */
  readonly reorders?: (lines: readonly (Asked | S)[]) => readonly (Asked | S)[];
  /**
   * Where the connections break: before this is said, or in the middle of it. Whoever connects after one was broken meets an empty engine.
   */
  readonly breaksAt?: (said: S, command?: string) => BreakPoint | undefined;
  /** What is said to a command in place of what was recorded; undefined leaves it. */
  readonly answers?: (command: string) => S | undefined;
  /** How long the engine, which does one thing after another, takes for this. */
  readonly takesMs?: (said: S, command?: string) => number;
}

/** A peer's side of its connections. `Call` is what an answer goes to. */
export interface Speaker<S extends Said, Call> {
  /** @param call whom it answers; undefined for an event */
  say(said: S, call: Call | undefined): void;
  /** The connections break now, before it is said or in the middle of it. */
  breakAt(point: BreakPoint, said: S, call: Call | undefined): void;
  /** A command that was not recorded, or not to come any more. */
  improvise(command: string, call: Call): void;
}

/** The engine's part of a transcript, for an adapter that may choose other ids than it did then. */
export class Script<S extends Said, Call> {
  readonly #lines: readonly (Asked | S)[];
  readonly #waiting: { readonly text: string; readonly call: Call }[] = [];
  /** By the index of the command. */
  readonly #calls = new Map<number, Call>();
  /** By the index of the answer. */
  readonly #instead = new Map<number, S>();
  /** Recorded ids by those of now, and the other way. */
  readonly #then = new Map<string, string>();
  readonly #now = new Map<string, string>();
  #at = 0;
  #pausedFor: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param commandOf for each line that is an answer, by its index, the index of its command */
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

  /** Says everything up to the next command of the adapter. */
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

  /** With the ids of now. */
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

  /** The command that this line answers. */
  #commandAt(at: number): string | undefined {
    const asked = this.#lines[this.#commandOf.get(at) ?? -1];
    return asked && isAsked(asked) ? asked.text : undefined;
  }

  /** @returns whether the connection goes on. */
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

  /** The same but for ids; which are the same from then on. */
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

/** Writes in pieces of so many bytes. */
export function inPieces(bytes: Buffer, pieceBytes: number | undefined, write: (piece: Buffer) => void): void {
  const size = pieceBytes ?? bytes.length;
  for (let from = 0; from < bytes.length; from += size) write(bytes.subarray(from, from + size));
}
