import { isEdgeHeader } from '../../core/model/edge-mark.js';

/** The header with which the edge tells the relay where a new request goes; its value is a token. */
export const RELAY_HEADER = 'X-Hatif-Relay';
const OWN = 'x-hatif-';

/**
 * Whether nobody outside may send this field: the edge and the engines trust it. The INVITE of a softphone or browser has
 * fields of its own, which go to call flows and events.
 * @param name in lower case
 */
export function isOwnField(name: string, isOfPhone: boolean): boolean {
  return isOfPhone ? isEdgeHeader(name) || name === RELAY_HEADER.toLowerCase() : name.startsWith(OWN);
}
