import type { ColleagueRow, ColleagueRows } from '../../data/repositories/accounts/colleagues.js';
import { indexedWords, plainWords } from '../../model/contacts/search.js';
import type { Clock } from '../../ports/clock.js';

export interface Colleague extends ColleagueRow {
  /** Whether a call would ring: a softphone or a browser is registered. */
  readonly is_reachable: boolean;
}

export interface ColleagueSearch {
  /**
   * Every word of it begins a word of the name or the extension, without regard to case, accents and the forms of Arabic
   * letters; null: everybody.
   */
  readonly text: string | null;
  /** Whether names are searched, too. */
  readonly byName: boolean;
}

/** Finds the agents of a project by name or extension, for people who transfer calls to them. */
export class Colleagues {
  constructor(
    private readonly rows: ColleagueRows,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /**
   * @returns the first ones by extension, at most `limit`
   */
  async search(projectId: string, { text, byName }: ColleagueSearch, limit: number): Promise<Colleague[]> {
    const words = plainWords(text ?? '');
    const all = await this.rows.list(projectId);
    const found = all.filter((row) => isFound(row, words, byName)).slice(0, limit);
    const extensions = found.map(({ agent }) => agent);
    const reachable = await this.rows.reachable(projectId, extensions, this.clock.now());
    return found.map((row) => ({ ...row, is_reachable: reachable.has(row.agent) }));
  }
}

function isFound({ agent, display_name: name }: ColleagueRow, words: readonly string[], byName: boolean): boolean {
  const names = byName ? indexedWords({ phone: null, email: null, name_en: name, name_ar: null }) : [];
  const known = [...plainWords(agent), ...names];
  return words.every((word) => known.some((one) => one.startsWith(word)));
}
