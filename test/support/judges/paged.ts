import { expect } from 'chai';
import type { Answer } from '../api.js';

/**
 * Reads a cursor-paged list to its end, and checks the form of every page.
 * @param ask reads a page: gets the query, which starts with `limit`
 */
export async function paged<T = Record<string, unknown>>(
  ask: (query: string) => Promise<Answer>,
  limit: number,
): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer = await ask(`limit=${limit}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    expect(answer.status, answer.text).to.equal(200);
    const page = answer.body as { data: T[]; next_cursor: string | null; limit: number };
    expect(page).to.have.all.keys('data', 'next_cursor', 'limit');
    expect(page.limit).to.equal(limit);
    if (page.next_cursor !== null) expect(page.data).to.have.length(limit);
    items.push(...page.data);
    cursor = page.next_cursor;
  }
  return items;
}
