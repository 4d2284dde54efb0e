import { EDGE_HEADER, TRUNK_HEADER } from '../../core/model/edge-mark.js';

/** The header with which the edge tells the relay where a new request goes; its value is a token. */
export const RELAY_HEADER = 'X-Hatif-Relay';
const OWN = 'x-hatif-';
const RESERVED: ReadonlySet<string> = new Set(
  [EDGE_HEADER, TRUNK_HEADER, RELAY_HEADER].map((name) => name.toLowerCase()),
);

/**
 * Whether nobody outside may send this field: the edge and the engines trust it. A browser has fields of its own for call
 * flows.
 * @param name in lower case
 */
export function isOwnField(name: string, isOfBrowser: boolean): boolean {
  return isOfBrowser ? RESERVED.has(name) : name.startsWith(OWN);
}
