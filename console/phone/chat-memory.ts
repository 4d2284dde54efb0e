/** A message of the agent that the platform does not have yet. */
export interface Unsent {
  /** Makes a repeat harmless. */
  readonly key: string;
  readonly threadId: string;
  readonly visitor: string;
  readonly text: string;
}

/** What the page keeps of chats if it is loaded again. */
interface Kept {
  readonly userId: string;
  readonly selected: string | null;
  readonly drafts: Readonly<Record<string, string>>;
  readonly unsent: readonly Unsent[];
}

const KEY = 'hatif.chats';

/** What an agent has written and not sent, for the time of the tab. */
export class ChatMemory {
  #kept: Kept;

  constructor(userId: string) {
    const nothing: Kept = { userId, selected: null, drafts: {}, unsent: [] };
    const text = sessionStorage.getItem(KEY);
    const kept = text === null ? null : (JSON.parse(text) as Kept);
    this.#kept = kept?.userId === userId ? kept : nothing;
  }

  get selected(): string | null {
    return this.#kept.selected;
  }

  get unsent(): readonly Unsent[] {
    return this.#kept.unsent;
  }

  draft(threadId: string): string {
    return this.#kept.drafts[threadId] ?? '';
  }

  select(selected: string | null): void {
    this.#keep({ ...this.#kept, selected });
  }

  keepDraft(threadId: string, text: string): void {
    const others = Object.entries(this.#kept.drafts).filter(([id]) => id !== threadId);
    this.#keep({ ...this.#kept, drafts: Object.fromEntries(text === '' ? others : [...others, [threadId, text]]) });
  }

  keepUnsent(unsent: readonly Unsent[]): void {
    this.#keep({ ...this.#kept, unsent });
  }

  clear(): void {
    sessionStorage.removeItem(KEY);
  }

  #keep(kept: Kept): void {
    this.#kept = kept;
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  }
}
