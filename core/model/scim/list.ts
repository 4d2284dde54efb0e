import type { Document } from './shape.js';
import { LIST_MESSAGE } from './urns.js';

/** One page of resources (RFC 7644 §3.4.2). @param startIndex of the first one, from 1 */
export function listResponse(resources: readonly Document[], totalResults: number, startIndex: number): Document {
  return { schemas: [LIST_MESSAGE], totalResults, startIndex, itemsPerPage: resources.length, Resources: resources };
}

/** Members that every resource has, whatever a client asks for (RFC 7643 §7, `returned`). */
const ALWAYS = new Set(['schemas', 'id']);

/**
 * The attributes that a client asks for (RFC 7644 §3.9). A part of an attribute stands for the whole.
 * @param attributes comma-separated; empty: all @param excluded comma-separated
 */
export function selected(resource: Document, attributes: string, excluded: string): Document {
  const [wanted, unwanted] = [namesIn(attributes), namesIn(excluded)];
  const members = Object.entries(resource).filter(([name]) => {
    if (ALWAYS.has(name)) return true;
    return wanted.size > 0 ? wanted.has(name.toLowerCase()) : !unwanted.has(name.toLowerCase());
  });
  return Object.fromEntries(members);
}

function namesIn(list: string): ReadonlySet<string> {
  const names = list.split(',').map((each) => each.trim().toLowerCase());
  // `urn:…:User:name.givenName`: behind the last colon, before the dot.
  const bare = names.map((each) => each.slice(each.lastIndexOf(':') + 1).split('.')[0] ?? '');
  return new Set(bare.filter((each) => each !== ''));
}
